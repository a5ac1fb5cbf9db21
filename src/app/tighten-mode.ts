// Removes the access of other users to a directory that holds data. A directory that belongs to
// another user is left alone: only its owner can change its mode.

import { chmod, stat } from 'node:fs/promises';

const MODE_BITS = 0o777;

/** True when something was taken away. */
export async function tightenMode(path: string, others: number): Promise<boolean> {
  try {
    const { mode, uid } = await stat(path);
    if ((mode & others) === 0 || process.getuid?.() !== uid) return false;
    await chmod(path, mode & MODE_BITS & ~others);
    return true;
  } catch {
    // Gone, or on a file system that keeps no modes: opening it says more.
    return false;
  }
}
