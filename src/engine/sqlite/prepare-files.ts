// Looks at the files of a store before SQLite does, whose words for a file it may not use
// are "disk I/O error" and "unable to open", and puts their modes right.

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

/** Those of the writer, the first reader and the lock, with some to spare. */
const FILES_OF_A_STORE = 12;
const OWNER_ALONE = 0o600;
const OTHERS = 0o077;
const MODE_BITS = 0o777;

/** Throws `engine/store-inaccessible`; absent files are made later. */
export function prepareFiles(files: StoreFiles): void {
  for (const file of [files.data, files.log, files.index, files.mark, files.lock]) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (!stats.isFile()) throw storeInaccessible(file, 'it is not a file');
    // SQLite gives its files the mode that the data file had when they were made: where that
    // was a wrong one, they keep it after the data file was put right.
    const wanted = file === files.data ? stats.mode & MODE_BITS & ~OTHERS : OWNER_ALONE;
    setMode(file, stats, wanted);
    requireAccess(file);
  }
}

/** Why a file cannot be opened, as far as the system says so; undefined when it does not. */
export function explainOpening(file: string): string | undefined {
  try {
    if (isNearFileLimit()) return TOO_MANY_FILES;
    accessSync(file, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return explainErrno(error);
  }
}

/** By the time SQLite has failed it has closed some files again. */
function isNearFileLimit(): boolean {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return readdirSync('/proc/self/fd').length + FILES_OF_A_STORE >= Number(limit);
  } catch (error) {
    return explainErrno(error) === TOO_MANY_FILES;
  }
}

/** In plain words; undefined for failures that have none here. */
export function explainErrno(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  // A thread that cannot be started names the reason in its message alone.
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
