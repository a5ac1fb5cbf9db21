// Warns if a config file with secrets is readable by every user of the machine. Group access is
// fine: a service often runs as a member of the file's group.

import { stat } from 'node:fs/promises';
import type { ConfigFile } from './read-config-file.ts';
import { SETTINGS } from './setting-table.ts';

const READ_BY_OTHERS = 0o004;

/** A warning for the operator, or none. The file is not changed: it may belong to another user. */
export async function warnOfOpenSecrets(
  path: string,
  shownName: string,
  { holdsHashes, settings }: Pick<ConfigFile, 'holdsHashes' | 'settings'>,
): Promise<readonly string[]> {
  const isSecretSet = [...settings].some(
    ([name, { raw }]) => SETTINGS[name].secret === true && raw !== '' && raw !== null,
  );
  if (!(holdsHashes || isSecretSet) || !(await canOthersRead(path))) return [];
  return [`${shownName} holds secrets, and others can read it: chmod o-rwx ${shownName}`];
}

async function canOthersRead(path: string): Promise<boolean> {
  // Without POSIX users, file modes mean nothing.
  if (process.getuid === undefined) return false;
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && (found.mode & READ_BY_OTHERS) !== 0;
}
