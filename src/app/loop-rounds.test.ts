import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { LoopRounds } from './loop-rounds.ts';

test('all waiting connections are accepted in one pause', async (t) => {
  using rounds = new LoopRounds(() => 0);
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
  using rounds = new LoopRounds(() => 0);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (turns < 5) setImmediate(count);
  };
  setImmediate(count);
  await rounds.pause();
  assert.ok(turns <= 2, `${turns} rounds`);
});

test('callbacks at the end of a round come before everything that paused earlier', async () => {
  using rounds = new LoopRounds(() => 0);
  const events: string[] = [];
  const paused = rounds.pause().then(() => events.push('continued'));
  rounds.atEnd(() => {
    events.push('first');
    rounds.atEnd(() => events.push('next round'));
  });
  rounds.atEnd(() => events.push('second'));
  assert.deepEqual(events, []);
  await paused;
  assert.deepEqual(events, ['first', 'second', 'continued']);
  await rounds.pause();
  assert.deepEqual(events.slice(3), ['next round']);
});

test('a pause ends after 10 ms although each round brings a connection', async () => {
  let clock = 0;
  using rounds = new LoopRounds(() => clock);
  const connections = channel('net.server.socket');
  let isOver = false;
  const busy = (): void => {
    connections.publish({});
    clock += 2;
    if (!isOver && clock < 100) setImmediate(busy);
  };
  setImmediate(busy);
  await rounds.pause();
  isOver = true;
  assert.ok(clock >= 10 && clock <= 12, `${clock} ms`);
});
