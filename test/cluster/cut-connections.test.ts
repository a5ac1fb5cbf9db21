// Connections to the database are cut during commits. The outcome that a writer receives must be true:
// a committed write is in the store once, with its version; a refused one is not. A read that has not
// begun uses another connection.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommitOutcome, Engine, Region, WriteOutcome } from '../../src/engine/engine.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { createRandom } from '../../src/sample/random.ts';
import { pickSeed } from '../../src/value/testing/share-of-runs.ts';
import { pickSize } from '../faults/sizes.ts';
import { until } from '../until.ts';
import { CuttingProxy } from './cutting-proxy.ts';

interface Attempt {
  readonly key: string;
  readonly outcome:
    | WriteOutcome['kind']
    | CommitOutcome['kind']
    | EngineError['code']
    | 'read-wrong';
  readonly version: number;
}

const WRITERS = 24;

async function cutAndWrite(
  cuts: number,
  testing: { readonly forgetsLostBatches?: true } = {},
): Promise<readonly string[]> {
  await using server = await PostgresServer.start();
  await using proxy = await CuttingProxy.open(() => server.port);
  const random = createRandom(pickSeed());
  const engine = await openPostgresEngine({ url: server.url('cut', proxy.port), testing });
  const direct = await openPostgresEngine({ url: server.url('cut') });
  try {
    await engine.createRegion(plainRegion('orders'));
    await engine.createRegion(plainRegion('items'));
    const region = await requireRegion(engine, 'orders');
    const attempts: Attempt[] = [];
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      for (let i = 0; !isOver; i += 1) {
        const key = `${writer}-${i}`;
        attempts.push(await (i % 2 === 0 ? attempt(region, key) : attemptTwo(engine, key)));
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, i) => write(i));
    for (let cut = 0; cut < cuts; cut += 1) {
      for (let turns = random.between(1, 60); turns > 0; turns -= 1) await nextTurn();
      const before = attempts.length;
      proxy.cut(random.between(1, 2) === 1 ? 'both' : 'answers');
      // Each cut hits a busy connection.
      await until(() => attempts.length >= before + WRITERS);
    }
    isOver = true;
    await Promise.all(writers);
    assert.ok(attempts.length > cuts);
    return await findWrongOutcomes(attempts, direct);
  } finally {
    await direct.close();
    await engine.close();
  }
}

async function attempt(region: Region, key: string): Promise<Attempt> {
  try {
    const value = `{"by":"${key}"}`;
    const outcome = await region.write([{ kind: 'put', key, value }], [{ kind: 'all-absent' }]);
    return {
      key,
      outcome: outcome.kind,
      version: outcome.kind === 'committed' ? outcome.version : 0,
    };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { key, outcome: error.code, version: 0 };
  }
}

/** Writes an entry to two regions in one commit that also reads it. */
async function attemptTwo(engine: Engine, key: string): Promise<Attempt> {
  try {
    const changes = [{ kind: 'put', key, value: `{"by":"${key}"}` } as const];
    const outcome = await engine.commit([
      { region: 'orders', changes, guards: [{ kind: 'absent', key }], reads: [key] },
      { region: 'items', changes, guards: [{ kind: 'absent', key }] },
    ]);
    if (outcome.kind !== 'committed') return { key, outcome: outcome.kind, version: 0 };
    const isRead = outcome.reads[0]?.[0]?.version === outcome.version;
    return { key, outcome: isRead ? 'committed' : 'read-wrong', version: outcome.version };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { key, outcome: error.code, version: 0 };
  }
}

async function findWrongOutcomes(
  attempts: readonly Attempt[],
  engine: Engine,
): Promise<readonly string[]> {
  const region = await requireRegion(engine, 'orders');
  const items = await requireRegion(engine, 'items');
  const wrong: string[] = [];
  for (let from = 0; from < attempts.length; from += 500) {
    const some = attempts.slice(from, from + 500);
    const entries = await region.read(some.map(({ key }) => key));
    const copies = await items.read(some.map(({ key }) => key));
    for (const [i, { key, outcome, version }] of some.entries()) {
      const found = entries[i];
      const isTrue =
        outcome === 'committed'
          ? found?.version === version
          : outcome === 'engine/outcome-unknown' ||
            (outcome === 'engine/unreachable' && found === undefined);
      const isWhole = Number(key.split('-')[1]) % 2 === 0 || copies[i]?.version === found?.version;
      if (!isWhole) wrong.push(`${key}: ${found?.version} and ${copies[i]?.version}`);
      if (!isTrue) wrong.push(`${key}: ${outcome} ${version}, found ${found?.version}`);
    }
  }
  const versions = attempts.filter(({ version }) => version > 0).map(({ version }) => version);
  if (new Set(versions).size < versions.length) wrong.push('a version was used twice');
  return wrong;
}

async function requireRegion(engine: Engine, name: string): Promise<Region> {
  const region = await engine.openRegion(name);
  assert.ok(region);
  return region;
}

describe('connections that are cut during commits', () => {
  it('give no writer a wrong outcome', async () => {
    assert.deepEqual(await cutAndWrite(pickSize({ quick: 10, short: 250 })), []);
  });

  it('are replaced where the outcome is being looked up', async () => {
    await using server = await PostgresServer.start();
    await using proxy = await CuttingProxy.open(() => server.port);
    const engine = await openPostgresEngine({ url: server.url('cut', proxy.port) });
    try {
      await engine.createRegion(plainRegion('orders'));
      const region = await requireRegion(engine, 'orders');
      const writing = attempt(region, 'first');
      proxy.cut('both');
      proxy.once('SELECT request_in_batch', () => proxy.cut('both'));
      assert.equal((await writing).outcome, 'committed');
    } finally {
      await engine.close();
    }
  });

  it('are replaced where a snapshot had not begun', async () => {
    await using server = await PostgresServer.start();
    await using proxy = await CuttingProxy.open(() => server.port);
    const engine = await openPostgresEngine({ url: server.url('cut', proxy.port) });
    try {
      await engine.createRegion(plainRegion('orders'));
      const { sequence } = engine.stats();
      for (let cut = 0; cut < pickSize({ quick: 10, short: 100 }); cut += 1) {
        const opening = Array.from({ length: 3 }, () => engine.openSnapshot());
        for (let turns = cut % 10; turns > 0; turns -= 1) await nextTurn();
        proxy.cut('both');
        const snapshots = await Promise.all(opening);
        assert.deepEqual(
          snapshots.map((snapshot) => snapshot.sequence),
          snapshots.map(() => sequence),
        );
        for (const snapshot of snapshots) snapshot.close();
      }
    } finally {
      await engine.close();
    }
  });

  it('do not keep the commit lock: a server that is paused in a commit does not stop the others', async () => {
    await using server = await PostgresServer.start();
    await using proxy = await CuttingProxy.open(() => server.port);
    const timeoutMs = 2000;
    const paused = await openPostgresEngine({ url: server.url('cut', proxy.port), timeoutMs });
    const other = await openPostgresEngine({ url: server.url('cut'), timeoutMs });
    try {
      await paused.createRegion({ ...plainRegion('orders'), history: { ageMs: null, count: 10 } });
      await other.createRegion(plainRegion('items'));
      const region = await requireRegion(paused, 'orders');
      const stalled = Promise.withResolvers<void>();
      proxy.once('begin_commit', () => {
        proxy.stall();
        stalled.resolve();
      });
      const writing = attempt(region, 'first');
      await stalled.promise;
      assert.equal(
        (await attempt(await requireRegion(other, 'items'), 'second')).outcome,
        'committed',
      );
      proxy.resume();
      assert.equal((await writing).outcome, 'committed');
    } finally {
      await other.close();
      await paused.close();
    }
  });

  it('control: an engine that reports a lost batch as failed is detected', async () => {
    const wrong = await cutAndWrite(pickSize({ quick: 30, short: 60 }), {
      forgetsLostBatches: true,
    });
    assert.ok(wrong.length > 0, 'the fault is not detected');
  });
});
