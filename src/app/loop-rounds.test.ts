import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { LoopRounds } from './loop-rounds.ts';

test('all waiting connections are accepted in one pause', async (t) => {
  using rounds = new LoopRounds();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    t.after(() => socket.destroy());
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const clients = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  t.after(() => {
    for (const client of clients) client.destroy();
  });
  // The first round asks the system for connections; the next one accepts them.
  await rounds.pause();
  await rounds.pause();
  assert.equal(accepted, clients.length);
});

test('a pause without connections is one round', async () => {
  using rounds = new LoopRounds();
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (turns < 5) setImmediate(count);
  };
  setImmediate(count);
  await rounds.pause();
  assert.ok(turns <= 2, `${turns} rounds`);
});

test('a pause ends although each round brings a connection, and takes milliseconds', async () => {
  using rounds = new LoopRounds();
  const connections = channel('net.server.socket');
  let turns = 0;
  let isOver = false;
  const busy = (): void => {
    turns += 1;
    connections.publish({});
    for (const end = performance.now() + 2; performance.now() < end; );
    if (!isOver && turns < 300) setImmediate(busy);
  };
  setImmediate(busy);
  await rounds.pause();
  isOver = true;
  assert.ok(turns > 1 && turns <= 8, `${turns} rounds`);
});
