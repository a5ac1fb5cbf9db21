import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunningServer } from '../http/index.ts';
import { drainServer } from './drain-server.ts';

interface FakeServer extends RunningServer {
  readonly steps: string[];
}

/** A server that rejects one more request each time it is drained, up to `late`. */
function fakeServer(late: number, inFlight = 0): FakeServer {
  const steps: string[] = [];
  let refused = 0;
  return {
    port: 1,
    scheme: 'http',
    requestsInFlight: inFlight,
    requestsWaiting: 0,
    activeStreams: 0,
    openStreams: [],
    get requestsRefused() {
      return refused;
    },
    steps,
    replaceTls: () => undefined,
    open: () => undefined,
    drain: () => {
      steps.push('drain');
      if (inFlight > 0) return new Promise(() => undefined);
      // It arrives while the server lingers, after this drain.
      if (refused < late) setImmediate(() => (refused += 1));
      return Promise.resolve();
    },
    stopListening: () => steps.push('stop listening'),
    close: () => Promise.resolve(),
  };
}

test('without requests it lingers once before and once after it stops listening', async () => {
  const server = fakeServer(0);
  assert.equal(await drainServer(server, { timeoutMs: 60_000, lingerMs: 1 }, () => 0), 0);
  assert.deepEqual(server.steps, ['drain', 'drain', 'stop listening', 'drain', 'drain']);
});

test('while requests arrive it waits for a time without any before it continues', async () => {
  const server = fakeServer(5);
  await drainServer(server, { timeoutMs: 60_000, lingerMs: 1 }, () => 0);
  const before = server.steps.indexOf('stop listening');
  assert.equal(before, 7, 'five rounds with a late request, one without, and the last drain');
});

test('after a pause of the whole process it lingers again', async () => {
  const server = fakeServer(0);
  const times = [0, 2000];
  await drainServer(server, { timeoutMs: 60_000, lingerMs: 1 }, () => times.shift() ?? 2000);
  assert.deepEqual(server.steps, ['drain', 'drain', 'drain', 'stop listening', 'drain', 'drain']);
});

test('counts the requests in flight when the time is over', async () => {
  const server = fakeServer(0, 3);
  assert.equal(await drainServer(server, { timeoutMs: 5, lingerMs: 1 }, () => 0), 3);
  assert.deepEqual(server.steps, ['drain']);
});
