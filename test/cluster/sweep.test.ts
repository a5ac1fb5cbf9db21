// Expiry in a database that several servers share: one server removes the entries, and another takes
// over when it is killed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../faults/client.ts';
import { Cluster } from './cluster.ts';

const KEYS = 40;
const DEADLINE_MS = 120_000;

test('another server removes expired entries when the one that did is killed', async () => {
  const yaml = 'regions: [{ name: sessions }]\n';
  await using cluster = await Cluster.start({ servers: 2, seed: 1, yaml });
  await putThrough(cluster.clients, 'before');
  await untilEmpty(cluster.clients[0]);
  const holder = await findHolder(cluster);
  const [survivor] = cluster.clients.filter((_, i) => i !== holder);
  await cluster.processes[holder]?.kill();
  await putThrough(survivor === undefined ? [] : [survivor], 'after');
  await untilEmpty(survivor);
  const answer = await survivor?.get('/sessions/_changes?since=0&ops=expire,remove,clear');
  const changes: { readonly key: string; readonly op: string }[] = JSON.parse(
    answer?.text ?? '',
  ).changes;
  const expected = ['before', 'after'].flatMap((name) =>
    Array.from({ length: KEYS }, (_, i) => `expire ${name}-${i}`),
  );
  assert.deepEqual(changes.map(({ key, op }) => `${op} ${key}`).sort(), expected.sort());
});

async function putThrough(clients: readonly Client[], name: string): Promise<void> {
  for (let i = 0; i < KEYS; i += 1) {
    const path = `/sessions/${name}-${i}?ttl=0.2`;
    const answer = await clients[i % clients.length]?.put(path, '{}');
    assert.equal(answer?.status, 200);
  }
}

async function untilEmpty(client: Client | undefined): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const answer = await client?.require('HEAD', '/sessions');
    if (answer?.headers['resource-count'] === '0') return;
    assert.ok(Date.now() < deadline, 'Entries that are due are still there');
    await delay(20);
  }
}

/** The index of the server whose address the lease names. */
async function findHolder(cluster: Cluster): Promise<number> {
  const rows = await cluster.database.query(
    `SELECT value FROM gridkeep.entries WHERE value LIKE '{"server":%'
     ORDER BY version DESC LIMIT 1`,
  );
  const lease = String(rows[0]?.['value']);
  const holder = cluster.processes.findIndex(({ port }) => lease.includes(`:${port}`));
  assert.ok(holder >= 0, lease);
  return holder;
}
