// The writer thread's loop: one message in, one out, in order. Writes can block on the disk only here,
// never in the main thread.

import { parentPort, workerData } from 'node:worker_threads';
import type { FromWriter, ToWriter } from './packed-batch.ts';
import { type PackedBatch, packAnswer, unpackBatch } from './packed-batch.ts';
import { toEngineError, toErrorMessage } from './sqlite-errors.ts';
import { storeFiles } from './store-files.ts';
import type { StoreRequest, WriterThreadOptions } from './store-request.ts';
import { Writer } from './writer.ts';

/** How long `answersBeforeCommit` leaves an answered batch uncommitted. */
const LATE_COMMIT_MS = 30;

if (parentPort === null) throw new TypeError('this file is the writer thread of the store');
const port = parentPort;
// Only SqliteEngine starts this thread, with exactly these options.
const options = workerData as WriterThreadOptions;

function send(message: FromWriter): void {
  port.postMessage(message);
}

function open(): Writer | undefined {
  try {
    return new Writer(options);
  } catch (error) {
    const { data } = storeFiles(options.directory);
    send({ kind: 'refused', error: toErrorMessage(toEngineError(error, data)) });
    return undefined;
  }
}

function isAllWrites(requests: readonly StoreRequest[]): boolean {
  return requests.every((request) => request.kind === 'write' || request.kind === 'commit');
}

/** Batches received. Wraps around, as `answersTaken` does. */
let batches = 0;

/**
 * Waits until the main thread has taken the answers to this many batches, and so has moved its
 * readers. Readers that move after the next commit would see it before it is answered. Returns the
 * seconds that it waited.
 */
function awaitAnswers(count: number): number {
  const { answersTaken } = options;
  const startedMs = performance.now();
  let taken = Atomics.load(answersTaken, 0);
  while (taken !== count) {
    Atomics.wait(answersTaken, 0, taken);
    taken = Atomics.load(answersTaken, 0);
  }
  return (performance.now() - startedMs) / 1000;
}

function runBatch(writer: Writer, batch: PackedBatch): void {
  const requests = unpackBatch(batch);
  const before = batches;
  batches = (batches + 1) | 0;
  if (options.testing.answersBeforeCommit === true && isAllWrites(requests)) {
    writer.run(requests, (answer) => {
      send(answer());
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_COMMIT_MS);
    });
  } else {
    let waitedSeconds = 0;
    const answer = writer.run(requests, () => {
      waitedSeconds = awaitAnswers(before);
    });
    send(packAnswer({ ...answer, seconds: answer.seconds - waitedSeconds }, batch));
  }
  writer.markCommit();
}

function handle(writer: Writer, message: ToWriter): void {
  switch (message.kind) {
    case 'puts':
    case 'batch':
      runBatch(writer, message);
      return;
    case 'checkpoint':
      send({
        kind: 'checkpointed',
        logBytes: writer.checkpoint(message.failure),
        ...writer.failureNotice(),
      });
      return;
    case 'close':
      writer.close();
      send({ kind: 'closed' });
      port.close();
  }
}

const writer = open();
if (writer !== undefined) {
  port.on('message', (message: ToWriter) => handle(writer, message));
  const { mayBeFull, notes } = writer.found;
  send({
    kind: 'ready',
    sequence: writer.sequence,
    notes,
    mayBeFull,
    regions: writer.regionRows(),
  });
}
