import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outgoing } from './outgoing.ts';
import { StreamSender } from './stream-sender.ts';

/** A client that accepts every piece synchronously. */
class EagerClient implements Outgoing {
  destroyed = false;
  readonly socket = null;
  readonly req: Outgoing['req'] = { method: 'GET' };
  readonly #onPiece: (piece: string | Uint8Array) => void;
  #onDrain: (() => void) | undefined;

  constructor(onPiece: (piece: string | Uint8Array) => void) {
    this.#onPiece = onPiece;
  }

  write(piece: string | Uint8Array): boolean {
    this.#onPiece(piece);
    process.nextTick(() => this.#onDrain?.());
    return false;
  }

  on(event: 'drain' | 'close', listener: () => void): void {
    if (event === 'drain') this.#onDrain = listener;
  }

  off(): void {
    this.#onDrain = undefined;
  }

  writeHead(): void {
    // The head is ignored.
  }

  once(): void {
    // No test uses it.
  }

  end(): void {
    this.#onPiece('end');
  }

  destroy(): void {
    this.destroyed = true;
  }
}

async function* count(name: string, pieces: number): AsyncGenerator<string> {
  for (let i = 1; i <= pieces; i += 1) yield `${name}${i}`;
}

test('answers whose clients never block are sent in alternating slices, with a pause before each', async () => {
  const log: unknown[] = [];
  let time = 0;
  const sender = new StreamSender({
    maxAnswerMs: 0,
    onWait: () => () => undefined,
    now: () => time,
    pause: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      log.push('paused');
    },
  });
  // Each piece takes a whole slice.
  const take = (piece: string | Uint8Array): void => {
    log.push(piece);
    time += 10;
  };
  const sent = await Promise.all([
    sender.send(count('a', 2), new EagerClient(take)),
    sender.send(count('b', 2), new EagerClient(take)),
  ]);
  assert.deepEqual(sent, [{ bytes: 4 }, { bytes: 4 }]);
  assert.deepEqual(log.slice(0, 6), ['a1', 'b1', 'paused', 'a2', 'paused', 'b2']);
  assert.deepEqual(log.slice(6), ['paused', 'end', 'paused', 'end']);
});

test('a failing answer is cut off, but not by us if its client left before', async () => {
  const sender = new StreamSender({
    maxAnswerMs: 0,
    onWait: () => () => undefined,
    now: () => 0,
    pause: () => Promise.resolve(),
  });
  const error = new Error('cancelled');
  async function* fail(beforehand: () => void): AsyncGenerator<string> {
    yield 'a';
    beforehand();
    throw error;
  }
  const staying = new EagerClient(() => undefined);
  const cut = await sender.send(
    fail(() => undefined),
    staying,
  );
  assert.deepEqual(cut, { bytes: 1, failedBy: error, cutBy: error });
  assert.equal(staying.destroyed, true);
  const leaving = new EagerClient(() => undefined);
  const left = await sender.send(
    fail(() => leaving.destroy()),
    leaving,
  );
  assert.deepEqual(left, { bytes: 1, failedBy: error });
});
