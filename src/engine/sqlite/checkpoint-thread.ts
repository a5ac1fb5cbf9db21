// The checkpoint thread's loop: one message in, one out. It copies the write-ahead log into the
// data file and waits for the disk, while the writer continues to append to the log.

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointOptions, FromCheckpoint, ToCheckpoint } from './checkpointer.ts';
import { SYNCHRONOUS } from './open-store.ts';
import { toEngineError, toErrorMessage } from './sqlite-errors.ts';
import { storeFiles } from './store-files.ts';

if (parentPort === null) throw new TypeError('this file is the checkpoint thread of the store');
const port = parentPort;
// Only Checkpointer starts this thread, with exactly these options.
const { directory, durability, inodes } = workerData as CheckpointOptions;
const files = storeFiles(directory);
let database: DatabaseSync | undefined;

/** Whether the files are those that the writer has open, not other files of the same names. */
function areSame(): boolean {
  return [files.data, files.log].every(
    (file, i) => statSync(file, { throwIfNoEntry: false })?.ino === inodes[i],
  );
}

/** Undefined when the files are no longer the writer's; the writer detects that itself. */
function open(): DatabaseSync | undefined {
  if (!areSame()) return undefined;
  const opened = new DatabaseSync(files.data);
  opened.exec(`PRAGMA synchronous = ${SYNCHRONOUS[durability]}`);
  return opened;
}

function copy(): FromCheckpoint {
  try {
    database ??= open();
    if (areSame()) database?.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return { kind: 'copied' };
  } catch (error) {
    return { kind: 'copied', failure: toErrorMessage(toEngineError(error, files.data)) };
  }
}

port.on('message', (message: ToCheckpoint) => {
  if (message.kind === 'copy') port.postMessage(copy());
  else {
    database?.close();
    port.postMessage({ kind: 'closed' });
    port.close();
  }
});
