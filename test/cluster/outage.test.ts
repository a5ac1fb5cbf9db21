// Outages of the database; servers that are paused, replaced, and restarted one by one.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pickSeed } from '../../src/value/testing/share-of-runs.ts';
import { codeOf, type Reply } from '../faults/client.ts';
import { IS_SHORT, pickSize } from '../faults/sizes.ts';
import { Cluster } from './cluster.ts';

/** Lingers long enough for a request that a busy machine sends late. */
const yaml =
  'regions: [{ name: orders }, { name: paused }, { name: rolled }]\nhttp: { drain-linger-ms: 500 }\n';
/** Clients while the servers are restarted. */
const WORKERS = pickSize({ quick: 3, short: 8 });
/** Pause between two requests of a client. */
const THINK_MS = pickSize({ quick: 5, short: 2 });
const COUNT = countOf('orders');
const COUNT_PAUSED = countOf('paused');

function countOf(region: string): string {
  return `/queries/adhoc?q=${encodeURIComponent(`SELECT COUNT(*) FROM /${region}`)}`;
}

describe('a cluster', () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await Cluster.start({ servers: 3, seed: pickSeed(), yaml });
  });

  after(() => cluster?.[Symbol.asyncDispose]());

  it('fails fast during an outage of its database, reports why, and recovers by itself', async () => {
    const [client] = cluster.clients;
    assert.ok(client !== undefined);
    assert.equal((await client.put('/orders/a', '{"n":1}'))?.status, 200);
    assert.equal((await client.sendTo('GET', '/readyz'))?.status, 200);
    await cluster.database.kill('SIGINT');

    // The first requests wait in case the outage is short; later ones fail at once.
    assert.equal((await client.put('/orders/a', '{"n":2}'))?.status, 503);
    const paths = ['/orders/a', '/orders', '/orders?limit=ALL', COUNT, ''];
    const awayUntil = performance.now() + pickSize({ quick: 0, short: 30_000 });
    do {
      for (const path of paths) {
        const startedMs = performance.now();
        const reply = await client.send('GET', path);
        assert.equal(reply?.status, 503, path);
        assert.equal(codeOf(reply), 'engine/unreachable');
        assert.equal(reply?.headers['retry-after'], '2');
        // Less than a first request would wait.
        assert.ok(performance.now() - startedMs < 2900, `${path} waited`);
      }
      assert.equal((await client.put('/orders/a', '{"n":2}'))?.status, 503);
    } while (performance.now() < awayUntil);
    const ready = await client.sendTo('GET', '/readyz');
    assert.equal(ready?.status, 503);
    assert.match(ready?.text ?? '', /cannot be reached/);
    assert.equal((await client.sendTo('GET', '/livez'))?.status, 200);
    assert.equal((await client.sendTo('GET', '/metrics'))?.status, 200);

    await cluster.database.boot();
    // A database that has just been started refuses connections until it has recovered.
    const recoverBy = performance.now() + 10_000;
    for (const each of cluster.clients) {
      let reply = await each.put('/orders/a', '{"n":3}');
      while (reply?.status !== 200 && performance.now() < recoverBy) {
        assert.equal(reply?.status, 503);
        reply = await each.put('/orders/a', '{"n":3}');
      }
      assert.equal(reply?.status, 200, 'every server recovers by itself');
    }
    for (const each of cluster.clients) {
      assert.equal((await each.get('/orders/a')).text, '{"orders":[{"n":3}]}');
      assert.equal((await each.get(COUNT)).text, '[1]');
    }
  });

  it('shows on a paused server what was written meanwhile', async () => {
    const [first, second] = cluster.clients;
    const [, paused] = cluster.processes;
    assert.ok(first !== undefined && second !== undefined && paused !== undefined);
    await first.put('/paused/a', '{"n":1}');
    assert.equal((await second.get('/paused')).text, '{"paused":[{"n":1}]}');
    assert.equal((await second.get(COUNT_PAUSED)).text, '[1]');
    const list = async () => JSON.parse((await first.get('/servers')).text).length;
    const deadline = performance.now() + 60_000;
    // A server may be missing until its next heartbeat, after an outage or a pause.
    const awaitServers = async (count: number): Promise<void> => {
      while ((await list()) !== count && performance.now() < deadline) await delay(250);
      assert.equal(await list(), count);
    };
    await awaitServers(3);
    paused.signal('SIGSTOP');
    for (let i = 0; i < 50; i += 1) await first.put(`/paused/k${i}`, `{"n":${i}}`);
    await first.put('/paused/a', '{"n":2}');
    // Longer than the heartbeat may be late.
    if (IS_SHORT) await awaitServers(2);
    paused.signal('SIGCONT');
    assert.equal((await second.get('/paused/a')).text, '{"paused":[{"n":2}]}');
    assert.equal((await second.get(COUNT_PAUSED)).text, '[51]');
    assert.equal((await second.put('/paused/b', '{"n":3}'))?.status, 200);
    assert.equal((await first.get('/paused/b')).text, '{"paused":[{"n":3}]}');
    await awaitServers(3);
  });

  it('answers every request while its servers are restarted one after another', async () => {
    const failures: string[] = [];
    let requests = 0;
    let isOver = false;
    // Like a load balancer: a request that a stopping server refused goes to another one.
    const send = async (method: string, path: string, body?: string): Promise<Reply> => {
      const reply = await cluster.send(method, path, body);
      const isStopping = reply?.status === 503 && codeOf(reply) === 'request/shutting-down';
      return isStopping ? send(method, path, body) : reply;
    };
    const work = async (worker: number): Promise<void> => {
      for (let i = 0; !isOver; i += 1) {
        const path = `/rolled/${worker}-${Math.floor(i / 2) % 10}`;
        const reply = await (i % 2 === 0 ? send('PUT', path, `{"i":${i}}`) : send('GET', path));
        await delay(THINK_MS);
        requests += 1;
        if (reply?.status !== 200) failures.push(`${reply?.status} ${reply?.text}`);
      }
    };
    const workers = Array.from({ length: WORKERS }, (_, i) => work(i));
    const rounds = pickSize({ quick: 2, short: 9 });
    try {
      for (let i = 0; i < rounds; i += 1) assert.equal(await cluster.rollServer(i % 3), 0);
    } finally {
      isOver = true;
      await Promise.all(workers);
    }
    assert.deepEqual(failures, []);
    assert.ok(requests > 100, `${requests} requests`);
  });
});
