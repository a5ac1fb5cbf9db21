// Splits the arguments of a command into flags and values, without interpreting them.

import { parseArgs } from 'node:util';

/** Flags by name, and whether a value follows. */
export type OptionNames = Readonly<Record<string, 'value' | 'switch'>>;

export interface GivenOption {
  /** As written, `--port` or `-p`. */
  readonly rawName: string;
  readonly name: string;
  readonly value: string | undefined;
}

export interface GivenArguments {
  /** In order, including unknown ones. */
  readonly options: readonly GivenOption[];
  /** The first argument that is neither a flag nor the value of one. */
  readonly extra: string | undefined;
}

export function readArguments(args: readonly string[], names: OptionNames): GivenArguments {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(names).map(([name, kind]) => [
        name,
        { type: kind === 'value' ? 'string' : 'boolean' },
      ]),
    ),
    // Not strict, because strict parsing ends at the first problem.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return {
    options: tokens.filter((token) => token.kind === 'option'),
    extra: tokens.find((token) => token.kind === 'positional')?.value,
  };
}

/** The kind of the flag with exactly this name; `-p` has none. */
export function findKind(
  { name, rawName }: GivenOption,
  names: OptionNames,
): 'value' | 'switch' | undefined {
  return Object.hasOwn(names, name) && rawName === `--${name}` ? names[name] : undefined;
}

export function findValueProblem(
  { name, value }: GivenOption,
  kind: 'value' | 'switch',
): string | undefined {
  if (kind === 'switch') return value === undefined ? undefined : `--${name} takes no value`;
  // A flag that swallowed the next one has no value.
  return value === undefined || value.startsWith('--') ? `--${name} needs a value` : undefined;
}
