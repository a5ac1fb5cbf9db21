// The primary is killed and its synchronous standby promoted while two servers write: no acknowledged
// write is lost, and none is applied twice.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import {
  type Acknowledged,
  copyServer,
  findLost,
  REPLICATED,
  until,
  write,
} from './replicated-pair.ts';

interface FailOver {
  readonly lost: readonly string[];
  readonly acknowledged: number;
  readonly secondsToFirst: number;
  readonly resets: number;
}

async function failOver(replication: 'synchronous' | 'lagging'): Promise<FailOver> {
  const primarySettings = { ...REPLICATED, synchronous_standby_names: '*' };
  await using primary = await PostgresServer.start({
    settings: replication === 'synchronous' ? primarySettings : REPLICATED,
  });
  await using proxy = await CuttingProxy.open(() => primary.port);
  await using standby = await copyServer(primary, proxy.port, REPLICATED);
  const url = `postgres://gridkeep@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
  const engines = [await openPostgresEngine({ url }), await openPostgresEngine({ url })];
  try {
    await engines[0]?.createRegion(plainRegion('orders'));
    const acknowledged: Acknowledged[] = [];
    let resets = 0;
    for (const engine of engines) {
      engine.subscribe({
        onCommit: () => undefined,
        onReset: () => {
          resets += 1;
        },
      });
    }
    let isOver = false;
    const writers = engines.flatMap((engine, server) =>
      Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; !isOver; i += 1) {
          const found = await write(engine, `${server}-${writer}-${i}`);
          if (typeof found !== 'string') acknowledged.push(found);
        }
      }),
    );
    await until(() => acknowledged.length > 150);
    if (replication === 'lagging') proxy.refuse();
    await until(() => acknowledged.length > 400);
    await primary.kill();
    standby.command('pg_ctl', ['promote', '-D', standby.directory]);
    const promotedMs = performance.now();
    const before = acknowledged.length;
    await until(() => acknowledged.length > before);
    const secondsToFirst = (performance.now() - promotedMs) / 1000;
    await until(() => acknowledged.length > before + 100);
    isOver = true;
    await Promise.all(writers);
    for (const engine of engines) await engine.catchUp();
    const lost = await findLost(acknowledged, engines[1]);
    return { lost, acknowledged: acknowledged.length, secondsToFirst, resets };
  } finally {
    for (const engine of engines) await engine.close();
  }
}

describe('a fail-over to a standby', () => {
  it('loses nothing that was acknowledged when the standby is synchronous', async () => {
    const { acknowledged, lost, resets, secondsToFirst } = await failOver('synchronous');
    assert.deepEqual(lost, []);
    assert.ok(acknowledged > 400);
    // Servers detect the loss of the primary; they do not wait for the time limit of a statement.
    assert.ok(secondsToFirst < 10, `the first acknowledgement came after ${secondsToFirst} s`);
    assert.equal(resets, 2, 'each server starts over on the other timeline');
  });

  it('control: a lagging standby loses writes, which is detected', async () => {
    const { lost } = await failOver('lagging');
    assert.ok(lost.length > 0, 'the loss is not detected');
  });
});
