// The checkpoint thread's loop: one message in, one out. It copies the write-ahead log into the
// data file and waits for the disk, while the writer continues to append to the log.

import { fsyncSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { storeFailed } from '../errors.ts';
import type { CheckpointOptions, FromCheckpoint, ToCheckpoint } from './checkpointer.ts';
import { SYNCHRONOUS } from './open-store.ts';
import { isReadFailure, toEngineError, toErrorMessage } from './sqlite-errors.ts';
import { storeFiles } from './store-files.ts';

/** Each copy takes about a third of the time of the one before. */
const MAX_COPIES = 4;
const SHORT_COPY_MS = 15;

if (parentPort === null) throw new TypeError('this file is the checkpoint thread of the store');
const port = parentPort;
// Only Checkpointer starts this thread, with exactly these options.
const { dataFile, directory, durability, inodes } = workerData as CheckpointOptions;
const files = storeFiles(directory);
let database: DatabaseSync | undefined;

/** Whether the files are those that the writer has open, not other files of the same names. */
function areFilesUnchanged(): boolean {
  return [files.data, files.log].every(
    (file, i) => statSync(file, { throwIfNoEntry: false })?.ino === inodes[i],
  );
}

/** Undefined when the files are no longer the writer's; the writer detects that itself. */
function open(): DatabaseSync | undefined {
  if (!areFilesUnchanged()) return undefined;
  const opened = new DatabaseSync(files.data);
  opened.exec(`PRAGMA synchronous = ${SYNCHRONOUS[durability]}`);
  return opened;
}

/**
 * Copies the log and syncs the data file. SQLite itself syncs only if nothing was written to the
 * log meanwhile. Without the sync here, the writer would later wait until all copied pages are on
 * disk.
 */
function copyOnce(): void {
  if (!areFilesUnchanged()) return;
  database?.exec('PRAGMA wal_checkpoint(PASSIVE)');
  if (durability !== 'never') sync();
}

/** A failed sync is final, whatever its cause: the pages may be lost, and it cannot be repeated. */
function sync(): void {
  try {
    fsyncSync(dataFile);
  } catch (error) {
    throw storeFailed(files.data, error);
  }
}

function logBytes(): number {
  return statSync(files.log, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Copies again what was written during the last copy, until that takes little time. If the log grows
 * faster than it is copied, only the writer can finish.
 */
function copy(longestLogBytes: number): FromCheckpoint {
  try {
    database ??= open();
    for (let copies = 1; ; copies += 1) {
      const startedMs = performance.now();
      copyOnce();
      const isShort = performance.now() - startedMs < SHORT_COPY_MS;
      if (isShort || copies === MAX_COPIES || logBytes() > longestLogBytes) break;
    }
    return { kind: 'copied' };
  } catch (error) {
    // The writer tries once more, because a read that failed has lost nothing.
    if (database === undefined || isReadFailure(error)) return { kind: 'copied' };
    return { kind: 'copied', failure: toErrorMessage(toEngineError(error, files.data)) };
  }
}

port.on('message', (message: ToCheckpoint) => {
  if (message.kind === 'copy') port.postMessage(copy(message.longestLogBytes));
  else {
    database?.close();
    port.postMessage({ kind: 'closed' });
    port.close();
  }
});
