// The writer thread's loop: one message in, one out. Writes can block on the disk only here, never
// in the main thread.

import { parentPort, workerData } from 'node:worker_threads';
import { type PackedBatch, packAnswer, unpackBatch } from './packed-batch.ts';
import { toEngineError, toErrorMessage } from './sqlite-errors.ts';
import { storeFiles } from './store-files.ts';
import type { FromWriter, StoreRequest, ToWriter, WriterOptions } from './store-request.ts';
import { Writer } from './writer.ts';

/** How long `answersBeforeCommit` leaves an answered batch uncommitted. */
const LATE_COMMIT_MS = 30;

if (parentPort === null) throw new TypeError('this file is the writer thread of the store');
const port = parentPort;
// Only SqliteEngine starts this thread, with exactly these options.
const options = workerData as WriterOptions;

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

function runBatch(writer: Writer, batch: PackedBatch): void {
  const requests = unpackBatch(batch);
  if (options.testing.answersBeforeCommit === true && isAllWrites(requests)) {
    writer.run(requests, (answer) => {
      send(answer);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_COMMIT_MS);
    });
  } else send(packAnswer(writer.run(requests), batch));
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
