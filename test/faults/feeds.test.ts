// Change feeds across crashes, compared with the log. Over all its connections every consumer receives
// the committed changes once and in order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../../src/engine/engine.ts';
import { shareOfRuns } from '../../src/value/testing/share-of-runs.ts';
import { FeedClient, type SeenChange } from '../feed-client.ts';
import { API, Service } from '../service.ts';
import { TemporaryDirectory } from './directory.ts';
import { GridkeepProcess } from './gridkeep-process.ts';
import { pickSize } from './sizes.ts';

const EVENTS = 'text/event-stream';
const YAML = 'regions: [{ name: orders }]\n';
/** How often the server is killed. */
const KILLS = pickSize({ quick: 2, short: 3 });

/** Reads until it has enough or loses its connection; returns the position to resume from. */
async function readOn(
  port: number,
  since: string,
  seen: SeenChange[],
  isEnough: () => boolean,
): Promise<string> {
  const headers = { 'Last-Event-ID': since };
  const path = `${API}/orders/_changes`;
  using feed = await FeedClient.open(EVENTS, { port, path, headers });
  assert.equal(feed.status, 200);
  let position = since;
  let commit: SeenChange[] = [];
  while (!isEnough()) {
    const event = await feed.next();
    if (event === undefined) return position;
    if (event.data !== undefined) commit.push(JSON.parse(event.data));
    if (event.id === undefined) continue;
    // Only whole commits count, for an interrupted one is sent again.
    seen.push(...commit);
    commit = [];
    position = event.id;
  }
  return position;
}

test('a feed continues after the last received commit when its server was killed', async () => {
  using directory = new TemporaryDirectory();
  const data = directory.join('data');
  const seen: SeenChange[] = [];
  let position = '1';
  let acknowledged = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await using server = await GridkeepProcess.start({ data, yaml: YAML });
    const reading = readOn(server.port, position, seen, () => false).catch(() => position);
    for (let i = 0; i < 25; i++) {
      const body = JSON.stringify([{ n: acknowledged }, { n: acknowledged }]);
      const answer = await fetch(
        `http://127.0.0.1:${server.port}${API}/orders/a${acknowledged},b${acknowledged}`,
        { method: 'PUT', body, headers: { 'Content-Type': 'application/json' } },
      );
      assert.equal(answer.status, 200);
      acknowledged += 1;
    }
    await server.kill();
    position = await reading;
  }
  await using server = await GridkeepProcess.start({ data, yaml: YAML });
  const isWhole = (): boolean => seen.at(-1)?.key === `b${acknowledged - 1}`;
  if (!isWhole()) await readOn(server.port, position, seen, isWhole);
  const expected = Array.from({ length: acknowledged }, (_, n) => [`a${n}`, `b${n}`]).flat();
  assert.deepEqual(
    seen.filter(({ op }) => op === 'put').map(({ key }) => key),
    expected,
  );
});

type Step =
  | { readonly kind: 'write'; readonly region: string; readonly keys: readonly string[] }
  | { readonly kind: 'remove' | 'clear' | 'recreate'; readonly region: string }
  | { readonly kind: 'disconnect'; readonly consumer: number };

const REGIONS = ['r0', 'r1', 'r2'];
const region = fc.constantFrom(...REGIONS);
const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        region,
        keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }),
      }),
    },
    fc.record({ kind: fc.constantFrom('remove' as const, 'clear' as const), region }),
    fc.record({ kind: fc.constant('recreate' as const), region }),
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('disconnect' as const), consumer: fc.nat(5) }),
    },
  ),
  { minLength: 20, maxLength: 60 },
);

/** The changes that a consumer of these regions must receive, from the log. */
async function expectedOf(
  engine: Engine,
  since: number,
  regions: readonly string[],
): Promise<readonly string[]> {
  const outcome = await engine.readChanges(since, 1_000_000);
  assert.ok(outcome.kind === 'changes');
  return outcome.changes
    .filter((change) => regions.includes(change.region))
    .map(({ key, kind, region: name, sequence }) => `${sequence} ${kind} ${name} ${key}`);
}

/** A consumer that disconnects and reconnects. */
class Consumer {
  readonly regions: readonly string[];
  readonly seen: SeenChange[] = [];
  readonly #service: Service;
  #position: number;
  #feed: FeedClient | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(service: Service, index: number, position: number) {
    this.#service = service;
    this.#position = position;
    this.regions = index < 3 ? [REGIONS[index] ?? ''] : index === 3 ? ['r0', 'r2'] : REGIONS;
  }

  async connect(): Promise<void> {
    const feed = await FeedClient.open(EVENTS, {
      port: this.#service.port,
      path: `${API}/_changes?regions=${this.regions.join(',')}&since=${this.#position}`,
    });
    assert.equal(feed.status, 200);
    this.#feed = feed;
    this.#reading = this.#read(feed);
  }

  async disconnect(): Promise<void> {
    this.#feed?.[Symbol.dispose]();
    await this.#reading;
  }

  async #read(feed: FeedClient): Promise<void> {
    let commit: SeenChange[] = [];
    for (let event = await feed.next(); event !== undefined; event = await feed.next()) {
      if (event.data !== undefined) commit.push(JSON.parse(event.data));
      if (event.id === undefined) continue;
      this.seen.push(...commit);
      commit = [];
      this.#position = Number(event.id);
    }
  }
}

async function perform(service: Service, step: Exclude<Step, { kind: 'disconnect' }>, n: number) {
  const target = await service.grid.region(step.region);
  switch (step.kind) {
    case 'write':
      await target.put(
        step.keys.map((key) => ({ key, value: `{"n":${n}}` })),
        [],
      );
      return;
    case 'remove':
      await service.send('DELETE', `/${step.region}/a`);
      return;
    case 'clear':
      await target.clear();
      return;
    case 'recreate':
      await service.grid.destroyRegion(step.region);
      await service.grid.createRegion({ name: step.region });
  }
}

test('consumers that disconnect and reconnect receive the changes of the log', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      await using service = await Service.start();
      for (const name of REGIONS) await service.grid.createRegion({ name });
      const start = service.engine.stats().sequence;
      const consumers = Array.from({ length: 6 }, (_, i) => new Consumer(service, i, start));
      for (const consumer of consumers) await consumer.connect();
      for (const [n, step] of list.entries()) {
        if (step.kind !== 'disconnect') await perform(service, step, n);
        else {
          await consumers[step.consumer]?.disconnect();
          await consumers[step.consumer]?.connect();
        }
      }
      for (const consumer of consumers) {
        const expected = await expectedOf(service.engine, start, consumer.regions);
        while (consumer.seen.length < expected.length) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        const seen = consumer.seen.map(
          ({ key, op, region: name, sequence }) => `${sequence} ${op} ${name} ${key ?? null}`,
        );
        assert.deepEqual(seen, expected);
        await consumer.disconnect();
      }
    }),
    { numRuns: shareOfRuns(40) },
  );
});
