// A service that is killed while it removes expired entries continues after the next start: exactly the
// entries that were due are removed, each with one change.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client.ts';
import { TemporaryDirectory } from './directory.ts';
import { RestartableService } from './restartable-service.ts';
import { pickSize } from './sizes.ts';

/** Six batches of the sweeper. */
const DUE = 3000;
const STAYING = 600;
const TTL_MS = 400;
const DEADLINE_MS = 60_000;

describe('kill -9 during a sweep of entries that expire', () => {
  const kills = pickSize({ quick: 1, short: 12 });

  it(`removes exactly the entries that were due, once each, over ${kills} kills`, async (t) => {
    using directory = new TemporaryDirectory();
    await using service = await RestartableService.start(directory.join('data'));
    let cut = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const region = `sweep-${kill}`;
      await service.createRegion(region);
      await load(service.client, region);
      // By now all of them are written, so this is the latest due time.
      const dueMs = Date.now() + TTL_MS;
      await untilSwept(service.client, region);
      await service.kill();
      const killedMs = Date.now();
      while (Date.now() <= dueMs) await delay(5);
      await service.restart();
      await checkSizes(service.client, region);
      const times = await checkFeed(service.client, region);
      const late = times.filter((time) => time > killedMs).length;
      if (late > 0 && late < DUE) cut += 1;
    }
    t.diagnostic(`${cut} of ${kills} kills came between the first and the last removal`);
  });
});

/** Writes entries that are due soon between some that are due in an hour and some that never are. */
async function load(client: Client, region: string): Promise<void> {
  const lines: string[] = [];
  for (let i = 0; i < DUE; i += 1) {
    lines.push(`{"key":"due-${i}","value":{"i":${i}},"ttl":${TTL_MS / 1000}}`);
    if (i < STAYING) {
      const ttl = i % 2 === 0 ? ',"ttl":"PT1H"' : '';
      lines.push(`{"key":"stays-${i}","value":{"i":${i}}${ttl}}`);
    }
  }
  const answer = await client.require('POST', `/${region}/_bulk`, {
    body: lines.join('\n'),
    headers: { 'Content-Type': 'application/x-ndjson' },
  });
  assert.equal(answer.status, 200, answer.text);
}

/** Settles when the first entry was removed. */
async function untilSwept(client: Client, region: string): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while ((await count(client, region)) === DUE + STAYING) {
    assert.ok(Date.now() < deadline, 'Nothing was removed');
    await delay(1);
  }
}

async function count(client: Client, region: string): Promise<number> {
  const { headers } = await client.require('HEAD', `/${region}`);
  return Number(headers['resource-count']);
}

async function checkSizes(client: Client, region: string): Promise<void> {
  assert.equal(await count(client, region), STAYING);
  const keys: readonly string[] = JSON.parse((await client.get(`/${region}/keys`)).text).keys;
  const expected = Array.from({ length: STAYING }, (_, i) => `stays-${i}`);
  assert.deepEqual([...keys].sort(), expected.sort());
  const values = JSON.parse((await client.get(`/${region}?limit=ALL`)).text)[region];
  assert.equal(values.length, STAYING);
  const counted = await client.query(`SELECT COUNT(*) FROM /${region}`);
  assert.match(counted?.text ?? '', new RegExp(`\\b${STAYING}\\b`));
}

/** Checks that each due entry was removed once and no other; returns the times of removal. */
async function checkFeed(client: Client, region: string): Promise<readonly number[]> {
  const removed: string[] = [];
  const times: number[] = [];
  for (let since = 0; ; ) {
    const path = `/${region}/_changes?since=${since}&ops=remove,clear,expire&include=none`;
    const answer = await client.get(path);
    assert.equal(answer.status, 200, answer.text);
    const { changes, next } = JSON.parse(answer.text);
    if (next === since) break;
    since = next;
    for (const { key, op, time } of changes) {
      assert.equal(op, 'expire');
      removed.push(key);
      times.push(Date.parse(time));
    }
  }
  const expected = Array.from({ length: DUE }, (_, i) => `due-${i}`);
  assert.deepEqual(removed.sort(), expected.sort());
  return times;
}
