// Parses the flags of `start` and `config` into settings. All problems are collected, so that a
// user who mistyped two flags sees both.

import type { FlagValue } from '../config/load-config.ts';
import {
  environmentName,
  SECRET_PATHS,
  SETTING_FLAGS,
  type SettingFlag,
} from '../config/setting-names.ts';
import { suggestName, suggestSetting } from '../config/suggest-name.ts';
import {
  findKind,
  findValueProblem,
  type GivenOption,
  type OptionNames,
  readArguments,
} from './read-arguments.ts';
import type { FileLoad } from './transfer/load-files.ts';

export interface ParsedFlags {
  readonly settings: readonly FlagValue[];
  readonly configFile: string | undefined;
  readonly sample: boolean;
  /** Whether the sample grid is written to while it is served. */
  readonly activity: boolean;
  /** Each `--load REGION=FILE`, in order. */
  readonly loads: readonly FileLoad[];
  /** The member that is the key in those files. */
  readonly loadKey: string | undefined;
  /** Whole sentences. */
  readonly problems: readonly string[];
}

const FLAGS: ReadonlyMap<string, SettingFlag> = new Map(
  SETTING_FLAGS.map((flag) => [flag.name, flag]),
);
const NAMES: OptionNames = {
  ...Object.fromEntries(
    SETTING_FLAGS.map(({ name, value }) => [name, value === undefined ? 'value' : 'switch']),
  ),
  config: 'value',
  sample: 'switch',
  activity: 'switch',
  load: 'value',
  'load-key': 'value',
};

/** A setting is given once; `--load` may be repeated. */
export function parseFlags(args: readonly string[]): ParsedFlags {
  const { extra, options } = readArguments(args, NAMES);
  const problems = options.flatMap((option) => findProblem(option) ?? []);
  problems.push(...findRepetitions(options));
  // A directory of the file or the environment may stay when `--memory` is added.
  if (['memory', 'data'].every((name) => options.some((option) => option.name === name))) {
    problems.push('--memory and --data exclude each other');
  }
  // The argument after an unknown flag is probably its value; one error is enough.
  if (problems.length === 0 && extra !== undefined) problems.push(`unexpected argument ${extra}`);
  return {
    settings: options.flatMap((option) => {
      const { name, value } = option;
      const flag = FLAGS.get(name);
      if (flag === undefined || findProblem(option) !== undefined) return [];
      return { path: flag.path, raw: flag.value ?? value, name: `--${name}` };
    }),
    configFile: options.find(({ name }) => name === 'config')?.value,
    sample: options.some(({ name }) => name === 'sample'),
    activity: options.some(({ name }) => name === 'activity'),
    loads: options.flatMap((option) => findLoad(option) ?? []),
    loadKey: options.find(({ name }) => name === 'load-key')?.value,
    problems,
  };
}

function findLoad({ name, value = '' }: GivenOption): FileLoad | undefined {
  const equals = value.indexOf('=');
  if (name !== 'load' || equals <= 0 || equals === value.length - 1) return undefined;
  return { region: value.slice(0, equals), file: value.slice(equals + 1) };
}

function findProblem(option: GivenOption): string | undefined {
  const { name, rawName } = option;
  const secret = SECRET_PATHS.find((path) => path.replaceAll('.', '-') === name);
  if (secret !== undefined) {
    return `--${name} would show a secret in the list of processes: put it into ${environmentName(secret)} or the config file`;
  }
  const kind = findKind(option, NAMES);
  if (kind !== undefined) return findValueProblem(option, kind) ?? findLoadProblem(option);
  const known = Object.keys(NAMES).map((each) => `--${each}`);
  const hint =
    suggestName(rawName, known) || suggestSetting(name, (path) => `--${path.replaceAll('.', '-')}`);
  return `unknown flag ${rawName}${hint}`;
}

/** Two flags for one setting, of one name or two. The same switch twice says nothing new. */
function findRepetitions(options: readonly GivenOption[]): readonly string[] {
  const flagBySetting = new Map<string, string>();
  return options.flatMap((option) => {
    const { name } = option;
    const kind = findKind(option, NAMES);
    if (kind === undefined || name === 'load') return [];
    const setting = FLAGS.get(name)?.path ?? name;
    const earlier = flagBySetting.get(setting);
    flagBySetting.set(setting, name);
    if (earlier === undefined || (earlier === name && kind === 'switch')) return [];
    if (earlier === name) return [`--${name} is given twice`];
    return [`--${earlier} and --${name} both set ${setting}`];
  });
}

function findLoadProblem(option: GivenOption): string | undefined {
  return option.name === 'load' && findLoad(option) === undefined
    ? '--load needs REGION=FILE, for example --load orders=orders.json'
    : undefined;
}
