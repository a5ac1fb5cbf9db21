// Checks the files of a store before SQLite does, and corrects their modes. SQLite's messages for a
// file without permission are only "disk I/O error" and "unable to open".

import {
  accessSync,
  chmodSync,
  constants,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';
import { storeInaccessible } from '../errors.ts';
import type { StoreFiles } from './store-files.ts';

/** Descriptors of the writer, the first reader and the lock, plus some spare. */
const FILES_OF_A_STORE = 12;
const OWNER_ALONE = 0o600;
const OTHERS = 0o077;
const MODE_BITS = 0o777;

/** Throws `engine/store-inaccessible`; absent files are created later. */
export function prepareFiles(files: StoreFiles): void {
  for (const file of [files.data, files.log, files.index, files.mark, files.lock]) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (!stats.isFile()) throw storeInaccessible(file, 'it is not a file');
    // SQLite creates its files with the mode of the data file. If that mode was wrong then, they
    // keep it after the data file was corrected.
    const wanted = file === files.data ? stats.mode & MODE_BITS & ~OTHERS : OWNER_ALONE;
    setMode(file, stats, wanted);
    requireAccess(file);
  }
}

/** Why a file cannot be opened; undefined when the system gives no reason. */
export function explainOpening(file: string): string | undefined {
  try {
    if (isNearFileLimit()) return TOO_MANY_FILES;
    accessSync(file, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return explainErrno(error);
  }
}

/** Near and not at the limit: after a failure SQLite has closed some files again. */
function isNearFileLimit(): boolean {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return readdirSync('/proc/self/fd').length + FILES_OF_A_STORE >= Number(limit);
  } catch (error) {
    return explainErrno(error) === TOO_MANY_FILES;
  }
}

/** The message for an error of the system; undefined for other errors. */
export function explainErrno(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  // A thread that cannot be started has the reason only in its message.
  const code = error.code === 'ERR_WORKER_INIT_FAILED' ? error.message : String(error.code);
  return ERRNO_WORDS[/E[A-Z]+$/.exec(code)?.[0] ?? code];
}

const TOO_MANY_FILES = 'too many files are open; raise the limit on open files (ulimit -n)';

const ERRNO_WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  EISDIR: 'it is a directory',
  EMFILE: TOO_MANY_FILES,
  ENFILE: 'too many files are open on this machine',
};

function setMode(file: string, stats: Stats, wanted: number): void {
  const isOwner = process.getuid?.() === stats.uid;
  if (isOwner && (stats.mode & MODE_BITS) !== wanted) chmodSync(file, wanted);
}

function requireAccess(file: string): void {
  for (const [mode, what] of [
    [constants.R_OK, 'read'],
    [constants.W_OK, 'written'],
  ] as const) {
    try {
      accessSync(file, mode);
    } catch (error) {
      const why = explainErrno(error) ?? 'the system refuses it';
      throw storeInaccessible(file, `it cannot be ${what}: ${why}`, error);
    }
  }
}
