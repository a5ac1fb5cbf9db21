// The flags of a command that takes few, each known by name. All problems are
// collected, so that a user who mistyped two flags hears of both.

import { parseArgs } from 'node:util';
import { suggestName } from '../config/suggest-name.ts';
import { refuseUsage } from './complain.ts';
import type { Terminal } from './terminal.ts';

/** Flags by name, and whether a value follows. */
export type OptionNames = Readonly<Record<string, 'value' | 'switch'>>;

export interface Options {
  value(name: string): string | undefined;
  has(name: string): boolean;
}

/** Complains about every problem and gives undefined when there is one. */
export function parseOptions(
  args: readonly string[],
  names: OptionNames,
  terminal: Terminal,
): Options | undefined {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(names).map(([name, kind]) => [
        name,
        { type: kind === 'value' ? 'string' : 'boolean' },
      ]),
    ),
    // Not strict: strict parsing ends at the first problem.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string | undefined>();
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option') {
      const problem = findProblem(token, names) ?? findRepetition(token.name, given);
      if (problem !== undefined) problems.push(problem);
      given.set(token.name, token.value);
    } else if (token.kind === 'positional' && problems.length === 0) {
      problems.push(`unexpected argument ${token.value}`);
    }
  }
  if (problems.length > 0) {
    refuseUsage(terminal, problems);
    return undefined;
  }
  return { value: (name) => given.get(name), has: (name) => given.has(name) };
}

interface GivenOption {
  readonly name: string;
  /** As written. */
  readonly rawName: string;
  readonly value?: string | undefined;
}

function findProblem(option: GivenOption, names: OptionNames): string | undefined {
  const { name, rawName, value } = option;
  const kind = Object.hasOwn(names, name) ? names[name] : undefined;
  if (kind === undefined || rawName !== `--${name}`) {
    const known = Object.keys(names).map((each) => `--${each}`);
    return `unknown flag ${rawName}${suggestName(rawName, known)}`;
  }
  if (kind === 'switch') return value === undefined ? undefined : `--${name} takes no value`;
  // A flag that swallowed the next one has no value of its own.
  return value === undefined || value.startsWith('--') ? `--${name} needs a value` : undefined;
}

function findRepetition(
  name: string,
  given: ReadonlyMap<string, string | undefined>,
): string | undefined {
  return given.has(name) ? `--${name} is given twice` : undefined;
}
