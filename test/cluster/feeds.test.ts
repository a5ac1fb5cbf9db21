// A feed on one server shows writes through another, and can be resumed on any server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedClient } from '../feed-client.ts';
import { API } from '../service.ts';
import { Cluster } from './cluster.ts';

test('a feed of one server shows writes of others, and is resumed on any of them', async () => {
  const yaml = 'regions: [{ name: orders }]\n';
  await using cluster = await Cluster.start({ servers: 2, seed: 1, yaml });
  const [first, second] = cluster.processes;
  assert.ok(first !== undefined && second !== undefined);
  const path = `${API}/orders/_changes`;
  const open = (port: number, since?: string): Promise<FeedClient> =>
    FeedClient.open('text/event-stream', {
      port,
      path,
      headers: since === undefined ? {} : { 'Last-Event-ID': since },
    });
  const write = async (n: number): Promise<void> => {
    const answer = await cluster.clients[n % 2]?.send('PUT', `/orders/k${n},same`, {
      body: `[{"n":${n}},{"n":${n}}]`,
    });
    assert.equal(answer?.status, 200);
  };
  using feed = await open(first.port);
  await feed.next();
  for (let n = 0; n < 10; n++) await write(n);
  const seen = await feed.changes(20);
  assert.deepEqual(
    seen.map(({ key, value }) => `${key} ${Object(value).n}`),
    Array.from({ length: 10 }, (_, n) => [`k${n} ${n}`, `same ${n}`]).flat(),
  );
  feed[Symbol.dispose]();
  for (let n = 10; n < 14; n++) await write(n);
  using resumed = await open(second.port, String(seen.at(-1)?.sequence));
  const rest = await resumed.changes(8);
  assert.deepEqual(
    rest.filter(({ key }) => key !== 'same').map(({ key }) => key),
    ['k10', 'k11', 'k12', 'k13'],
  );
});
