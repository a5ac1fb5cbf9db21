// Removes the access of other users to a directory that holds data. A directory that belongs to
// another user is left alone: only its owner can change its mode.

import { chmod, stat } from 'node:fs/promises';

const MODE_BITS = 0o777;

/** True when access was removed. */
export async function tightenMode(path: string, others: number): Promise<boolean> {
  try {
    const { mode, uid } = await stat(path);
    if ((mode & others) === 0 || process.getuid?.() !== uid) return false;
    await chmod(path, mode & MODE_BITS & ~others);
    return true;
  } catch {
    // Missing, or on a file system without modes: opening it reports the error.
    return false;
  }
}
