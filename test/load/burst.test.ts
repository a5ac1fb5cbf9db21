// Connections that arrive while the process is busy wait in the system's queue, up to
// `limits.connections`, and none has to retry.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Service } from '../service.ts';

/** More than Node's default backlog of 511. */
const CONNECTIONS = 900;
const PATIENCE_MS = 10_000;

/** Opens connections, and counts the established and then the answered ones. */
const CLIENTS = `
const { connect } = require('node:net');
const { workerData } = require('node:worker_threads');
const counts = new Int32Array(workerData.counts);
const count = (which) => { Atomics.add(counts, which, 1); Atomics.notify(counts, which); };
for (let i = 0; i < workerData.connections; i += 1) {
  const socket = connect(workerData.port, '127.0.0.1', () => {
    count(0);
    socket.write('GET /livez HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n');
  });
  socket.once('data', (bytes) => { if (bytes.includes(' 200 OK')) count(1); });
  socket.on('error', () => undefined);
}
`;

/** Waits while blocking the event loop. */
function waitBusily(counts: Int32Array, which: number, wanted: number): number {
  const giveUp = performance.now() + PATIENCE_MS;
  let count = Atomics.load(counts, which);
  while (count < wanted && performance.now() < giveUp) {
    Atomics.wait(counts, which, count, 100);
    count = Atomics.load(counts, which);
  }
  return count;
}

describe('a burst of connections', () => {
  const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  const skip = most < CONNECTIONS && `the system queues ${most} connections only`;

  it('is queued while the process is busy, and answered', { skip }, async () => {
    await using service = await Service.start();
    const counts = new Int32Array(new SharedArrayBuffer(8));
    const workerData = { port: service.port, connections: CONNECTIONS, counts: counts.buffer };
    const worker = new Worker(CLIENTS, { eval: true, workerData });
    try {
      assert.equal(waitBusily(counts, 0, CONNECTIONS), CONNECTIONS);
      while (Atomics.load(counts, 1) < CONNECTIONS) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      await worker.terminate();
    }
  });
});
