// Unit tests of an endless stream: what it sends when, and what ends it.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import type { Outgoing } from '../response/outgoing.ts';
import type { LongStream, StreamPiece } from './long-stream.ts';
import { OpenStream, type StreamEnd } from './open-stream.ts';
import { printEvent } from './stream-form.ts';

/** An answer whose client reads everything, until the test stops it. */
class FakeAnswer extends EventEmitter {
  readonly socket = null;
  readonly req = { method: 'GET' };
  destroyed = false;
  takes = true;
  sent = '';
  isEnded = false;

  writeHead(): void {}

  write(piece: string | Uint8Array): boolean {
    this.sent += typeof piece === 'string' ? piece : Buffer.from(piece).toString();
    this.emit('written');
    return this.takes;
  }

  end(): void {
    this.isEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

interface Started {
  readonly answer: FakeAnswer;
  readonly stream: OpenStream;
  readonly ended: Promise<StreamEnd>;
}

function start(
  pieces: LongStream['pieces'],
  { takes = true, ...options }: Partial<LongStream> & { readonly takes?: boolean } = {},
): Started {
  const answer = new FakeAnswer();
  answer.takes = takes;
  const stream = new OpenStream({
    stream: { kind: 'changes', form: 'event-stream', heartbeatMs: 60_000, pieces, ...options },
    // Has every member that a stream uses.
    outgoing: answer as unknown as Outgoing,
    describeFailure: (error) => ({ event: 'failed', json: `"${error}"`, end: 'failed' }),
    onSent: () => undefined,
  });
  return { answer, stream, ended: stream.run() };
}

/** Waits until the stream is ended. */
async function* silence(signal: AbortSignal): AsyncGenerator<StreamPiece> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}

const piece = (n: number): StreamPiece => ({
  bytes: printEvent('event-stream', { name: 'put', json: `${n}`, id: `${n}` }),
  events: 1,
});

const sentPieces = ({ sent }: FakeAnswer): number => sent.split('event: put').length - 1;

describe('a long stream', () => {
  it('begins with the retry time and the position to resume from', async () => {
    const { answer, ended, stream } = start(silence, { resumeId: () => '7' });
    assert.equal(answer.sent, 'retry: 2000\nid: 7\n\n');
    stream.end('draining');
    assert.equal(await ended, 'draining');
    assert.equal(answer.sent, 'retry: 2000\nid: 7\n\nretry: 2000\nid: 7\n\n');
    assert.ok(answer.isEnded);
  });

  it('sends pieces in order, and ends with its source', async () => {
    const { answer, ended } = start(async function* () {
      yield piece(1);
      yield piece(2);
    });
    assert.equal(await ended, 'finished');
    assert.match(answer.sent, /event: put\nid: 1\ndata: 1\n\nevent: put\nid: 2\ndata: 2\n\n/);
  });

  it('prepares one piece ahead, and sends it when the client has read the previous one', async () => {
    let made = 0;
    const source = async function* (): AsyncGenerator<StreamPiece> {
      for (;;) {
        made += 1;
        yield piece(made);
      }
    };
    const { answer, ended, stream } = start(source, { takes: false });
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([made, sentPieces(answer)], [2, 1]);
    answer.emit('drain');
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([made, sentPieces(answer)], [3, 2]);
    stream.end('draining');
    assert.equal(await ended, 'draining');
    assert.deepEqual([made, sentPieces(answer)], [3, 2]);
    assert.deepEqual(answer.eventNames(), [], 'nothing listens any more');
  });

  it('resumes before a piece that was prepared but not sent', async () => {
    let id = 7;
    const readPiece = Promise.withResolvers<void>();
    const source = async function* (): AsyncGenerator<StreamPiece> {
      id = 8;
      yield piece(8);
      await readPiece.promise;
      id = 9;
      yield piece(9);
    };
    const { answer, ended, stream } = start(source, { resumeId: () => String(id) });
    while (!answer.sent.includes('data: 8')) await new Promise((resolve) => setImmediate(resolve));
    stream.end('draining');
    readPiece.resolve();
    assert.equal(await ended, 'draining');
    assert.ok(answer.sent.endsWith('data: 8\n\nretry: 2000\nid: 8\n\n'), answer.sent);
  });

  it('sends heartbeats while idle, with the position when it has changed', async () => {
    let id = 7;
    const { answer, ended, stream } = start(silence, {
      heartbeatMs: 1,
      resumeId: () => String(id),
    });
    while (!answer.sent.includes(': heartbeat\n\n')) {
      await new Promise((resolve) => answer.once('written', resolve));
    }
    id = 9;
    while (!answer.sent.includes(': heartbeat\nid: 9\n\n')) {
      await new Promise((resolve) => answer.once('written', resolve));
    }
    stream.end('login');
    assert.equal(await ended, 'login');
  });

  it('reports why it cannot continue', async () => {
    const { answer, ended } = start(async function* () {
      yield piece(1);
      throw new Error('broken');
    });
    assert.equal(await ended, 'failed');
    assert.ok(answer.sent.endsWith('event: failed\ndata: "Error: broken"\n\n'), answer.sent);
    assert.ok(answer.isEnded);
  });

  it('ends when its client disconnects, and writes no more', async () => {
    const { answer, ended } = start(silence);
    answer.destroy();
    assert.equal(await ended, 'client');
    assert.equal(answer.sent, 'retry: 2000\n\n');
    assert.equal(answer.isEnded, false);
  });

  it('has lines of JSON in its other form', async () => {
    const { answer, ended, stream } = start(silence, { form: 'ndjson', resumeId: () => '3' });
    assert.equal(answer.sent, '');
    stream.end('draining');
    await ended;
    assert.equal(answer.sent, '{"@retry":{"after-ms":2000,"since":"3"}}\n');
    assert.equal(printEvent('ndjson', { name: 'put', json: '{"a":1}', id: '1' }), '{"a":1}\n');
  });
});
