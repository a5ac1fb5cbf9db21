// Flags to setting values. All problems are collected, so that a user who
// mistyped two flags hears of both.

import { parseArgs } from 'node:util';
import type { FlagValue } from '../config/load-config.ts';
import {
  environmentName,
  SECRET_PATHS,
  SETTING_FLAGS,
  type SettingFlag,
} from '../config/setting-names.ts';
import { suggestName, suggestSetting } from '../config/suggest-name.ts';

export interface ParsedFlags {
  readonly settings: readonly FlagValue[];
  readonly configFile: string | undefined;
  readonly sample: boolean;
  /** Whole sentences. */
  readonly problems: readonly string[];
}

const FLAGS: ReadonlyMap<string, SettingFlag> = new Map(
  SETTING_FLAGS.map((flag) => [flag.name, flag]),
);
const ALL_NAMES: readonly string[] = [...FLAGS.keys(), 'config', 'sample'];

export function parseFlags(args: readonly string[]): ParsedFlags {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      ALL_NAMES.map((name) => [name, { type: takesValue(name) ? 'string' : 'boolean' }]),
    ),
    // Not strict: strict parsing ends at the first problem.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = tokens.filter((token) => token.kind === 'option');
  const problems = given.flatMap((token) => findProblem(token) ?? []);
  // What follows an unknown flag is probably its value; one complaint is enough.
  const extra = tokens.find((token) => token.kind === 'positional');
  if (problems.length === 0 && extra !== undefined) {
    problems.push(`unexpected argument ${extra.value}`);
  }
  return {
    settings: given.flatMap((token) => {
      const { name, value } = token;
      const flag = FLAGS.get(name);
      if (flag === undefined || findProblem(token) !== undefined) return [];
      return { path: flag.path, raw: flag.value ?? value, name: `--${name}` };
    }),
    configFile: given.findLast((token) => token.name === 'config')?.value,
    sample: given.some((token) => token.name === 'sample'),
    problems,
  };
}

function takesValue(name: string): boolean {
  return name !== 'sample' && FLAGS.get(name)?.value === undefined;
}

interface GivenFlag {
  /** As written, `--port` or `-p`. */
  readonly rawName: string;
  readonly name: string;
  readonly value: string | undefined;
}

function findProblem({ name, rawName, value }: GivenFlag): string | undefined {
  const secret = SECRET_PATHS.find((path) => path.replaceAll('.', '-') === name);
  if (secret !== undefined) {
    return `--${name} would show a secret in the list of processes: put it into ${environmentName(secret)} or the config file`;
  }
  if (!ALL_NAMES.includes(name) || rawName !== `--${name}`) {
    const hint =
      suggestName(
        rawName,
        ALL_NAMES.map((known) => `--${known}`),
      ) || suggestSetting(name, (path) => `--${path.replaceAll('.', '-')}`);
    return `unknown flag ${rawName}${hint}`;
  }
  if (!takesValue(name)) return value === undefined ? undefined : `--${name} takes no value`;
  // A flag that swallowed the next one has no value of its own.
  return value === undefined || value.startsWith('--') ? `--${name} needs a value` : undefined;
}
