import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { WriteBatch } from './write-batch.ts';

/** The two ends of a connection. */
async function openPair(
  t: TestContext,
): Promise<{ readonly ours: Socket; readonly client: Socket }> {
  const server = createServer({ allowHalfOpen: true });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const client = connect(port, '127.0.0.1');
  const [ours] = (await once(server, 'connection')) as [Socket]; // the event's argument
  t.after(() => {
    client.destroy();
    ours.destroy();
  });
  return { ours, client };
}

interface BatchTest {
  readonly clock: { ms: number };
  readonly batch: WriteBatch;
  readonly endRound: () => void;
  readonly answer: (socket: Socket, text: string) => void;
}

/** A batch whose clock and rounds the test controls. */
function makeBatch(): BatchTest {
  const callbacks: (() => void)[] = [];
  const clock = { ms: 0 };
  const batch = new WriteBatch({
    now: () => clock.ms,
    atRoundEnd: (callback) => callbacks.push(callback),
  });
  return {
    clock,
    batch,
    endRound: () => {
      for (const callback of callbacks.splice(0)) callback();
    },
    answer: (socket, answer) => {
      batch.hold(socket, answer.length);
      socket.write(answer);
    },
  };
}

test('answers are written at the end of the round, in order', async (t) => {
  const { ours, client } = await openPair(t);
  const { answer, endRound } = makeBatch();
  answer(ours, 'first ');
  answer(ours, 'zweite Äußerung ');
  answer(ours, 'x'.repeat(100_000));
  assert.ok(ours.writableLength > 100_000, 'nothing is written before the end of the round');
  endRound();
  assert.equal(ours.writableCorked, 0);
  ours.end();
  assert.equal(await text(client), `first zweite Äußerung ${'x'.repeat(100_000)}`);
});

test('a long answer alone is written at once', async (t) => {
  const { ours, client } = await openPair(t);
  const { answer } = makeBatch();
  answer(ours, 'x'.repeat(100_000));
  assert.equal(ours.writableCorked, 0);
  ours.end();
  assert.equal((await text(client)).length, 100_000);
});

test('no answer waits much longer than a millisecond for those after it', async (t) => {
  const [first, second, third] = await Promise.all([openPair(t), openPair(t), openPair(t)]);
  const { answer, clock, endRound } = makeBatch();
  answer(first.ours, 'answer');
  clock.ms = 0.9;
  answer(second.ours, 'answer');
  assert.equal(first.ours.writableCorked, 1);
  clock.ms = 1.1;
  answer(third.ours, 'answer');
  const corked = [first, second, third].map(({ ours }) => ours.writableCorked);
  assert.deepEqual(corked, [0, 0, 1]);
  endRound();
  assert.equal(third.ours.writableCorked, 0);
  for (const { client, ours } of [first, second, third]) {
    ours.end();
    assert.equal(await text(client), 'answer');
  }
});

test('an answer is written before its connection ends', async (t) => {
  const { ours, client } = await openPair(t);
  const { answer, endRound } = makeBatch();
  answer(ours, 'last words');
  ours.end();
  assert.equal(await text(client), 'last words');
  endRound();
});

test('what is held can be written before sockets are destroyed', async (t) => {
  const { ours, client } = await openPair(t);
  const { answer, batch, endRound } = makeBatch();
  answer(ours, 'last words');
  batch.writeAll();
  ours.destroy();
  assert.equal(await text(client), 'last words');
  endRound();
});

test('a client that left meanwhile is skipped', async (t) => {
  const [gone, other] = await Promise.all([openPair(t), openPair(t)]);
  const { answer, endRound } = makeBatch();
  answer(gone.ours, 'answer');
  answer(other.ours, 'answer');
  gone.ours.destroy();
  endRound();
  other.ours.end();
  assert.equal(await text(other.client), 'answer');
});
