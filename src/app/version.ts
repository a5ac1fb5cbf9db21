// The version of the package, from its package.json.

import { readFile } from 'node:fs/promises';

/** Works from `src/app` and from `dist/app` alike: both lie two folders below the package. */
export async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string }; // our own package.json has one
  return version;
}
