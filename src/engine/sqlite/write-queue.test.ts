// The queue decides when the log is copied. A fake writer thread reports any length of the log, so
// that no test has to write one.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Checkpointer } from './checkpointer.ts';
import { storeFiles } from './store-files.ts';
import { WriteQueue } from './write-queue.ts';

const MEBIBYTE = 1024 * 1024;

/** Answers a batch with the length of the log that its last request names as its region. */
const WRITER = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (message) => {
    if (message.kind === 'checkpoint') parentPort.postMessage({ kind: 'checkpointed', logBytes: 0 });
    else if (message.kind === 'close') {
      parentPort.postMessage({ kind: 'closed' });
      parentPort.close();
    } else {
      const replies = message.requests.map(() => ({ kind: 'done', outcome: { kind: 'missing' } }));
      parentPort.postMessage({
        kind: 'answer', replies, sequence: 0, defined: [], destroyed: [], counters: [], seconds: 0,
        freeBytes: Number.MAX_SAFE_INTEGER, logBytes: Number(message.requests.at(-1).region),
      });
    }
  });
`;

test('the log is copied at half of the size that the data file has after the last checkpoint', async (t) => {
  const { checkpointer, file, isCopiedAt } = openQueue(t);
  assert.equal(await isCopiedAt(63), false);
  truncateSync(file, 400 * MEBIBYTE);
  assert.equal(await isCopiedAt(65), true, 'the size is read with checkpoints alone');
  while (checkpointer.isRunning) await nextTurn();
  assert.equal(await isCopiedAt(199), false);
  assert.equal(await isCopiedAt(201), true);
  truncateSync(file, 40 * MEBIBYTE);
  while (checkpointer.isRunning) await nextTurn();
  assert.equal(await isCopiedAt(63), false);
  assert.equal(await isCopiedAt(65), true);
});

function openQueue(t: TestContext): {
  readonly file: string;
  readonly checkpointer: Checkpointer;
  /** Whether the checkpoint thread runs once the log has this many mebibytes. */
  readonly isCopiedAt: (mebibytes: number) => Promise<boolean>;
} {
  const files = storeFiles(mkdtempSync(join(tmpdir(), 'gridkeep-write-queue-')));
  const database = new DatabaseSync(files.data);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (v); PRAGMA wal_checkpoint');
  const checkpointer = new Checkpointer(files, 'relaxed');
  const queue = new WriteQueue(
    {
      writer: new Worker(WRITER, { eval: true }),
      answersTaken: new Int32Array(new SharedArrayBuffer(4)),
      checkpointer,
    },
    { file: files.data },
    { onAnswer: () => undefined, onCommitted: () => undefined },
  );
  t.after(async () => {
    await queue.drain();
    await queue.close();
    database.close();
    checkpointer.release();
    rmSync(files.directory, { recursive: true, force: true });
  });
  const isCopiedAt = async (mebibytes: number): Promise<boolean> => {
    await queue.submit({ kind: 'destroy-region', region: String(mebibytes * MEBIBYTE) });
    return checkpointer.isRunning;
  };
  return { file: files.data, checkpointer, isCopiedAt };
}
