// A service that is killed at any moment executes a request with an idempotency key exactly once,
// however often it is repeated. Of a bulk load it keeps the first batches whole, including everything
// that it reported as written.

import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../../src/sample/random.ts';
import { pickSeed } from '../../src/value/testing/share-of-runs.ts';
import type { RequestOptions } from '../http-client.ts';
import { API } from '../service.ts';
import { TemporaryDirectory } from './directory.ts';
import { RestartableService } from './restartable-service.ts';
import { pickSize } from './sizes.ts';

const WRITERS = 8;
/** One answer in this many is lost. */
const LOST_ONE_IN = 4;

describe('kill -9 and retries with an idempotency key', () => {
  const kills = pickSize({ quick: 1, short: 12 });

  it(`executes every request exactly once, over ${kills} kills`, async () => {
    const { found, sent, wrong } = await retry({ kills, toOptions: keyed });
    assert.deepEqual(wrong, []);
    for (const [region, values] of found) assert.deepEqual(values, sent, region);
  });

  it('control: retries without a key are executed twice, and detected', async () => {
    const toOptions = (_: string, body: unknown): RequestOptions => ({
      body: JSON.stringify(body),
    });
    const { found, sent, wrong } = await retry({ kills: 1, toOptions });
    const added = found.get('added') ?? [];
    assert.ok(added.length > sent.length, `${added.length} entries for ${sent.length} requests`);
    assert.deepEqual([...new Set(added)], sent);
    assert.ok(wrong.some((refusal) => refusal.includes(' 409 ')));
  });
});

interface Retries {
  readonly kills: number;
  /** The options of a request; `mark` identifies it. */
  readonly toOptions: (mark: string, body: unknown) => RequestOptions;
}

interface Retried {
  /** The marks of all requests, sorted. */
  readonly sent: readonly string[];
  /** Unexpected answers. */
  readonly wrong: readonly string[];
  /** The marks found in the regions, sorted. */
  readonly found: ReadonlyMap<string, readonly string[]>;
}

/** Runs writers that repeat unanswered requests while the service is killed and answers are lost. */
async function retry({ kills, toOptions }: Retries): Promise<Retried> {
  using directory = new TemporaryDirectory();
  await using service = await RestartableService.start(directory.join('data'));
  const regions = ['added', 'left', 'right'];
  for (const region of regions) await service.createRegion(region);
  const random = createRandom(pickSeed());
  const isLost = (): boolean => random.between(1, LOST_ONE_IN) === 1;
  const sent: string[] = [];
  const wrong: string[] = [];
  let isOver = false;
  const write = async (writer: number): Promise<void> => {
    for (let i = 0; !isOver; i += 1) {
      const by = `${writer}-${i}`;
      sent.push(by);
      // Executed twice, the first would add two entries, and the second would find its keys existing.
      const added = await service.insist('/added', toOptions(`add ${by}`, { by }), isLost);
      const created = await service.insist('/_tx', toOptions(`tx ${by}`, createBoth(by)), isLost);
      if (added.status !== 201) wrong.push(`${by}: ${added.status} ${added.code}`);
      if (created.status !== 200) wrong.push(`${by}: ${created.status} ${created.code}`);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  for (let kill = 0; kill < kills; kill += 1) {
    const enough = sent.length + random.between(40, 80);
    while (sent.length < enough) await delay(1);
    await service.restart();
  }
  isOver = true;
  await Promise.all(writers);
  const found = new Map<string, readonly string[]>();
  for (const region of regions) {
    found.set(region, (await service.values(region)).map(({ by }) => String(by)).sort());
  }
  return { sent: sent.sort(), wrong, found };
}

function keyed(key: string, body: unknown): RequestOptions {
  return { body: JSON.stringify(body), headers: { 'Idempotency-Key': key } };
}

function createBoth(by: string): unknown {
  return {
    do: ['left', 'right'].map((region) => ({ op: 'create', region, key: by, value: { by } })),
  };
}

describe('kill -9 during a bulk load', () => {
  const kills = pickSize({ quick: 1, short: 10 });

  it(`keeps whole batches, and all items reported as written, in ${kills} loads`, async () => {
    using directory = new TemporaryDirectory();
    await using service = await RestartableService.start(directory.join('data'));
    const random = createRandom(pickSeed());
    for (let kill = 0; kill < kills; kill += 1) {
      const region = `load-${kill}`;
      await service.createRegion(region);
      const reported = await loadUntilKilled(service, region, random.between(1, 12) * 500);
      await service.restart();
      const places = (await service.values(region)).map(({ i }) => Number(i)).sort((a, b) => a - b);
      // The first items without a gap: each batch is there completely or not at all.
      assert.deepEqual(
        places,
        places.map((_, i) => i),
      );
      assert.ok(
        places.length >= reported,
        `${places.length} of ${reported} that were reported as written`,
      );
    }
  });
});

/** Sends endless lines; returns how many the service had reported as written when it was killed. */
async function loadUntilKilled(
  service: RestartableService,
  region: string,
  until: number,
): Promise<number> {
  const sent = httpRequest({
    port: service.client.port,
    method: 'POST',
    path: `${API}/${region}/_bulk?results=stream`,
    headers: { 'Content-Type': 'application/x-ndjson' },
  });
  let isOver = false;
  // The first error only shows that the service has ended.
  sent.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    sent.on('close', () => {
      isOver = true;
      resolve();
    });
  });
  let reported = 0;
  let rest = '';
  sent.on('response', (answer) => {
    answer.on('error', () => undefined);
    answer.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        assert.equal(JSON.parse(line).index, reported);
        reported += 1;
      }
      if (reported >= until && !isOver) {
        isOver = true;
        void service.kill();
      }
    });
  });
  for (let i = 0; !isOver; i += 1) {
    const more = sent.write(`{"key":"k${i}","value":{"i":${i},"pad":"${'x'.repeat(i % 400)}"}}\n`);
    if (more) continue;
    const drained = new Promise<void>((resolve) => sent.once('drain', resolve));
    await Promise.race([drained, closed]);
  }
  await closed;
  return reported;
}
