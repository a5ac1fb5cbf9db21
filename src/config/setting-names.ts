// The names of a setting, all derived from its path in the file: `query.max-rows-kept` is the
// variable `GRIDKEEP_QUERY_MAX_ROWS_KEPT` and the flag `--query-max-rows-kept`; some have a shorter
// flag too.

import type { SettingPath } from './config.ts';
import type { Setting } from './setting.ts';
import { SETTINGS } from './setting-table.ts';

export const ENVIRONMENT_PREFIX = 'GRIDKEEP_';

/** In the order of the table. */
export const SETTING_PATHS: readonly SettingPath[] =
  // The table has exactly these keys, which the type of Object.keys does not say.
  Object.keys(SETTINGS) as SettingPath[];

/** Settings without a flag. */
export const SECRET_PATHS: readonly SettingPath[] = SETTING_PATHS.filter(
  (path) => SETTINGS[path].secret === true,
);

export function findSetting(path: string): { path: SettingPath; setting: Setting } | undefined {
  const found = SETTING_PATHS.find((candidate) => candidate === path);
  return found === undefined ? undefined : { path: found, setting: SETTINGS[found] };
}

export function environmentName(path: SettingPath): string {
  return ENVIRONMENT_PREFIX + path.replaceAll(/[.-]/g, '_').toUpperCase();
}

/** A flag of the command line; with `value`, one that takes no argument. */
export interface SettingFlag {
  readonly name: string;
  readonly path: SettingPath;
  readonly value?: string;
}

/** Every flag there is; the short form of a setting comes before its long one. */
export const SETTING_FLAGS: readonly SettingFlag[] = SETTING_PATHS.flatMap((path) => {
  const { flag, secret } = SETTINGS[path];
  if (secret) return [];
  const long = path.replaceAll('.', '-');
  return flag === undefined || flag.name === long
    ? [{ name: long, path }]
    : [
        { name: flag.name, path, ...(flag.value === undefined ? {} : { value: flag.value }) },
        { name: long, path },
      ];
});
