// Loads the configuration: flag > environment > file > default. Reports all problems of all sources
// at once, and records the origin of each value.

import { isAbsolute, join } from 'node:path';
import { CLIENT_PREFIX } from './client-login.ts';
import type {
  Config,
  Declarations,
  EffectiveSetting,
  SettingOrigin,
  SettingPath,
  SettingValue,
} from './config.ts';
import type { FindLocation } from './config-locations.ts';
import { warnOfOpenSecrets } from './open-secrets.ts';
import { parseSetting } from './parse-setting.ts';
import { type ConfigFile, NO_DECLARATIONS, readConfigFile } from './read-config-file.ts';
import { ENVIRONMENT_PREFIX, environmentName, SETTING_PATHS } from './setting-names.ts';
import { SETTINGS } from './setting-table.ts';
import { suggestName, suggestSetting } from './suggest-name.ts';

export interface ConfigSources {
  /** Values given on the command line or by an embedding program, by path. */
  readonly flags?: readonly FlagValue[];
  /** The process's own environment, unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The directory of `gridkeep.yaml`. */
  readonly workingDirectory: string;
  /** Must exist when given. */
  readonly configFile?: string;
}

export interface FlagValue {
  readonly path: SettingPath;
  /** Text, or the value itself from a program. */
  readonly raw: unknown;
  /** Its name in error messages, for example `--port`. */
  readonly name: string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly declarations: Declarations;
  /** Every setting with its origin, in the order of the table; secrets masked. */
  readonly effective: readonly EffectiveSetting[];
  /** The line of a setting or declaration in the file; undefined if it is not from a file. */
  readonly findLocation: FindLocation;
  /** Warnings for the operator at start, a sentence each. */
  readonly warnings: readonly string[];
}

export type ConfigOutcome =
  | ({ readonly kind: 'loaded' } & LoadedConfig)
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

const DEFAULT_FILE = 'gridkeep.yaml';
const CONFIG_VARIABLE = `${ENVIRONMENT_PREFIX}CONFIG`;
/** Prefix of variables that are not settings: the file refers to them for secrets. */
const SECRET_PREFIX = `${ENVIRONMENT_PREFIX}SECRET_`;
const MASK = '********';

const OTHER_PREFIXES: readonly string[] = [CLIENT_PREFIX, SECRET_PREFIX];

/** An unchecked value of a setting. */
interface RawValue {
  readonly raw: unknown;
  readonly origin: SettingOrigin;
}

type RawValues = Map<SettingPath, RawValue>;

export async function loadConfig(sources: ConfigSources): Promise<ConfigOutcome> {
  const environment = sources.environment ?? process.env;
  const problems: string[] = [];
  const file = await findFile(sources, environment);
  problems.push(...file.problems);

  // Later sources overwrite earlier ones.
  const rawValues: RawValues = new Map();
  for (const [path, { location, raw }] of file.settings) {
    rawValues.set(path, { raw, origin: { source: 'file', name: location } });
  }
  takeEnvironment(environment, rawValues, problems);
  for (const { name, path, raw } of sources.flags ?? []) {
    rawValues.set(path, { raw, origin: { source: 'flag', name } });
  }

  chooseEngine(rawValues);
  const values = checkValues(rawValues, problems);
  problems.push(...findStoreProblems(values));
  if (values.get('testing.fault') !== '' && environment['NODE_ENV'] !== 'test') {
    problems.push('testing.fault breaks the service on purpose: it needs NODE_ENV=test');
  }
  if (problems.length > 0) return { kind: 'refused', problems };
  return {
    kind: 'loaded',
    config: assemble(values),
    declarations: file.declarations,
    effective: SETTING_PATHS.map((path) => describeSetting(path, values, rawValues)),
    findLocation: (path) => {
      const origin = rawValues.get(path as SettingPath)?.origin; // other paths find nothing
      if (origin === undefined) return file.findLocation(path);
      return origin.source === 'file' ? origin.name : undefined;
    },
    warnings: file.warnings,
  };
}

/** The address of a database selects its engine. */
function chooseEngine(rawValues: RawValues): void {
  const url = rawValues.get('store.url');
  if (url === undefined || url.raw === '' || rawValues.has('store.engine')) return;
  rawValues.set('store.engine', { raw: 'postgres', origin: url.origin });
}

function findStoreProblems(values: ReadonlyMap<SettingPath, SettingValue>): readonly string[] {
  const engine = values.get('store.engine');
  const url = String(values.get('store.url'));
  // Not shown, because it contains a password.
  if (/:\/\/[^/?#@]*:[^/?#]*@/.test(url)) {
    return [
      'store.url must not hold a password: use GRIDKEEP_STORE_PASSWORD or store.password-file',
    ];
  }
  if (engine === 'postgres' && url === '')
    return ['store.engine is postgres: store.url is missing'];
  if (engine !== undefined && engine !== 'postgres' && url !== '') {
    return [`store.url is an address for store.engine postgres, not ${engine}`];
  }
  const hasBoth = values.get('store.password') !== '' && values.get('store.password-file') !== '';
  return hasBoth ? ['store.password and store.password-file exclude each other'] : [];
}

async function findFile(
  sources: ConfigSources,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ConfigFile & Pick<LoadedConfig, 'warnings'>> {
  const named = sources.configFile ?? environment[CONFIG_VARIABLE];
  if (named === '') {
    const source = sources.configFile === undefined ? CONFIG_VARIABLE : '--config';
    return noFile([`${source} must be a text that is not empty, not ""`]);
  }
  const shownName = named ?? DEFAULT_FILE;
  const path = isAbsolute(shownName) ? shownName : join(sources.workingDirectory, shownName);
  const file = await readConfigFile(path, shownName, environment);
  if (file !== undefined) {
    return { ...file, warnings: await warnOfOpenSecrets(path, shownName, file) };
  }
  return noFile(named === undefined ? [] : [`${named} does not exist`]);
}

function noFile(problems: readonly string[]): ConfigFile & Pick<LoadedConfig, 'warnings'> {
  return {
    settings: new Map(),
    declarations: NO_DECLARATIONS,
    problems,
    findLocation: () => undefined,
    holdsHashes: false,
    warnings: [],
  };
}

function takeEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  rawValues: RawValues,
  problems: string[],
): void {
  const paths = new Map(SETTING_PATHS.map((path) => [environmentName(path), path]));
  for (const [name, raw] of Object.entries(environment)) {
    if (raw === undefined || !name.startsWith(ENVIRONMENT_PREFIX) || name === CONFIG_VARIABLE) {
      continue;
    }
    const path = paths.get(name);
    if (path !== undefined) {
      rawValues.set(path, { raw, origin: { source: 'environment', name } });
    } else if (!isServiceLink(name, raw) && !OTHER_PREFIXES.some((it) => name.startsWith(it))) {
      const rest = name.slice(ENVIRONMENT_PREFIX.length).toLowerCase().replaceAll('_', '-');
      const hint = suggestName(name, paths.keys()) || suggestSetting(rest, environmentName);
      problems.push(`unknown setting ${name} in the environment${hint}`);
    }
  }
}

/**
 * Container platforms describe a service called gridkeep to its neighbours, and to itself, in
 * variables such as GRIDKEEP_SERVICE_HOST and GRIDKEEP_PORT=tcp://10.0.0.1:7070. These are not
 * settings.
 */
function isServiceLink(name: string, raw: string): boolean {
  return (
    /^GRIDKEEP_(SERVICE_(HOST|PORT)|PORT_\d+_)/.test(name) ||
    (name === 'GRIDKEEP_PORT' && raw.includes('://'))
  );
}

function checkValues(rawValues: RawValues, problems: string[]): Map<SettingPath, SettingValue> {
  const values = new Map<SettingPath, SettingValue>();
  for (const path of SETTING_PATHS) {
    const { fallback, secret, type } = SETTINGS[path];
    const found = rawValues.get(path);
    if (found === undefined) {
      values.set(path, fallback);
      continue;
    }
    const outcome = parseSetting(type, found.raw);
    if (outcome.kind === 'parsed') {
      values.set(path, outcome.value);
    } else {
      const { name, source } = found.origin;
      const subject = source === 'file' ? `${name}: ${path}` : name;
      const shown = secret ? '' : `, not ${JSON.stringify(found.raw)}`;
      problems.push(`${subject} ${outcome.rule}${shown}`);
    }
  }
  return values;
}

/** `query.max-rows-kept` becomes `config.query.maxRowsKept`. */
function assemble(values: ReadonlyMap<SettingPath, SettingValue>): Config {
  const groups: Record<string, Record<string, SettingValue>> = {};
  for (const [path, value] of values) {
    const [group = '', member = ''] = path.split('.');
    const name = member.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    groups[group] = { ...groups[group], [name]: value };
  }
  // True because SettingPath is made from Config's members, the table has every
  // SettingPath, and each value was parsed by the kind its row states.
  return groups as unknown as Config;
}

function describeSetting(
  path: SettingPath,
  values: ReadonlyMap<SettingPath, SettingValue>,
  rawValues: RawValues,
): EffectiveSetting {
  const { fallback, secret } = SETTINGS[path];
  const found = rawValues.get(path);
  return {
    path,
    value: secret && found !== undefined ? MASK : (values.get(path) ?? fallback),
    origin: found?.origin ?? { source: 'default', name: 'default' },
  };
}
