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

/** A batch whose round ends when the test says so. */
function makeBatch(): { readonly batch: WriteBatch; readonly endRound: () => void } {
  const callbacks: (() => void)[] = [];
  const batch = new WriteBatch((callback) => callbacks.push(callback));
  return {
    batch,
    endRound: () => {
      for (const callback of callbacks.splice(0)) callback();
    },
  };
}

test('short answers are written at the end of the round, in order', async (t) => {
  const { ours, client } = await openPair(t);
  const { batch, endRound } = makeBatch();
  batch.write(ours, 'first ', 'latin1');
  batch.write(ours, 'zweite Äußerung ', 'utf8');
  batch.write(ours, 'x'.repeat(100_000), 'latin1');
  assert.ok(ours.writableLength > 100_000, 'nothing is written before the end of the round');
  endRound();
  assert.equal(ours.writableCorked, 0);
  ours.end();
  assert.equal(await text(client), `first zweite Äußerung ${'x'.repeat(100_000)}`);
});

test('a long answer alone is written at once', async (t) => {
  const { ours, client } = await openPair(t);
  const { batch } = makeBatch();
  batch.write(ours, 'x'.repeat(20_000), 'latin1');
  assert.equal(ours.writableCorked, 0);
  ours.end();
  assert.equal((await text(client)).length, 20_000);
});

test('many answers do not wait for the end of the round', async (t) => {
  const pairs = await Promise.all(Array.from({ length: 40 }, () => openPair(t)));
  const { batch, endRound } = makeBatch();
  for (const { ours } of pairs) batch.write(ours, 'answer', 'latin1');
  assert.equal(pairs.filter(({ ours }) => ours.writableCorked > 0).length, 8);
  endRound();
  assert.equal(pairs.filter(({ ours }) => ours.writableCorked > 0).length, 0);
  for (const { client, ours } of pairs) {
    ours.end();
    assert.equal(await text(client), 'answer');
  }
});

test('an answer is written before its connection ends', async (t) => {
  const { ours, client } = await openPair(t);
  const { batch, endRound } = makeBatch();
  batch.write(ours, 'last words', 'latin1');
  ours.end();
  assert.equal(await text(client), 'last words');
  endRound();
});

test('what waits can be written before sockets are destroyed', async (t) => {
  const { ours, client } = await openPair(t);
  const { batch, endRound } = makeBatch();
  batch.write(ours, 'last words', 'latin1');
  batch.writeAll();
  ours.destroy();
  assert.equal(await text(client), 'last words');
  endRound();
});

test('a client that left meanwhile is skipped', async (t) => {
  const { ours } = await openPair(t);
  const other = await openPair(t);
  const { batch, endRound } = makeBatch();
  batch.write(ours, 'answer', 'latin1');
  batch.write(other.ours, 'answer', 'latin1');
  ours.destroy();
  endRound();
  other.ours.end();
  assert.equal(await text(other.client), 'answer');
});
