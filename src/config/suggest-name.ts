// "Did you mean …?" for names of settings.

import { nearestName } from '../value/nearest-name.ts';
import type { SettingPath } from './config.ts';
import { SETTING_FLAGS, SETTING_PATHS } from './setting-names.ts';

/** `; did you mean x?`, or nothing when no name is near. */
export function suggestName(name: string, known: Iterable<string>): string {
  return printSuggestion(nearestName(name, known));
}

/**
 * A suggestion for a setting. `written` may be a whole path, the last part of one, or the name of a
 * flag: `port` means `http.port`. `print` gives the setting's name in the form of its source.
 */
export function suggestSetting(written: string, print: (path: SettingPath) => string): string {
  const lastPart = written.slice(written.lastIndexOf('.') + 1);
  const near = nearestName(written, BY_NAME.keys()) ?? nearestName(lastPart, BY_NAME.keys());
  const path = near === undefined ? undefined : BY_NAME.get(near);
  return printSuggestion(path === undefined ? undefined : print(path));
}

/** Whole paths come first, because the first of equally near names wins. */
const BY_NAME: ReadonlyMap<string, SettingPath> = new Map([
  ...SETTING_PATHS.map((path) => [path, path] as const),
  ...SETTING_PATHS.map((path) => [path.slice(path.indexOf('.') + 1), path] as const),
  ...SETTING_FLAGS.map(({ name, path }) => [name, path] as const),
]);

function printSuggestion(name: string | undefined): string {
  return name === undefined ? '' : `; did you mean ${name}?`;
}
