// The primary is killed and its synchronous standby promoted, under writers of two servers: nothing
// that was acknowledged is lost, nothing is there twice.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/engine/engine.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { CuttingProxy } from './cutting-proxy.ts';

interface Acknowledged {
  readonly key: string;
  readonly version: number;
}

interface FailOver {
  readonly lost: readonly string[];
  readonly acknowledged: number;
  readonly secondsToFirst: number;
  readonly resets: number;
}

async function failOver(replication: 'synchronous' | 'lagging'): Promise<FailOver> {
  const settings = { fsync: 'on', wal_level: 'replica', max_wal_senders: '5' };
  const primarySettings = { ...settings, synchronous_standby_names: '*' };
  await using primary = await PostgresServer.start({
    settings: replication === 'synchronous' ? primarySettings : settings,
  });
  await using proxy = await CuttingProxy.open(() => primary.port);
  await using standby = await copyServer(primary, proxy.port, settings);
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
          if (found !== undefined) acknowledged.push(found);
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
    return { ...(await compare(acknowledged, engines[1])), secondsToFirst, resets };
  } finally {
    for (const engine of engines) await engine.close();
  }
}

/** A copy of a server that takes over what the first one writes, where that lets it. */
async function copyServer(
  primary: PostgresServer,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<PostgresServer> {
  await primary.kill('SIGINT');
  const home = mkdtempSync(join(tmpdir(), 'gridkeep-standby-'));
  const directory = join(home, 'data');
  execFileSync('chmod', ['777', home]);
  execFileSync('cp', ['-a', primary.directory, directory]);
  writeFileSync(join(directory, 'standby.signal'), '');
  await primary.boot();
  const conninfo = `host=127.0.0.1 port=${port} user=gridkeep application_name=standby`;
  return PostgresServer.start({ directory, settings: { ...settings, primary_conninfo: conninfo } });
}

async function write(engine: Engine, key: string): Promise<Acknowledged | undefined> {
  try {
    const region = await engine.openRegion('orders');
    const outcome = await region?.write(
      [{ kind: 'put', key, value: `{"key":"${key}"}` }],
      [{ kind: 'all-absent' }],
    );
    return outcome?.kind === 'committed' ? { key, version: outcome.version } : undefined;
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

async function compare(
  acknowledged: readonly Acknowledged[],
  engine: Engine | undefined,
): Promise<Pick<FailOver, 'lost' | 'acknowledged'>> {
  const region = await engine?.openRegion('orders');
  const entries = await region?.read(acknowledged.map(({ key }) => key));
  const lost = acknowledged
    .filter(({ version }, i) => entries?.[i]?.version !== version)
    .map(({ key }) => key);
  const versions = new Set(acknowledged.map(({ version }) => version));
  if (versions.size < acknowledged.length) lost.push('a version was given twice');
  return { lost, acknowledged: acknowledged.length };
}

async function until(isReached: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!isReached()) {
    assert.ok(performance.now() < deadline, 'it takes too long');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a fail-over to a standby', () => {
  it('loses nothing that was acknowledged when the standby is synchronous', async () => {
    const { acknowledged, lost, resets, secondsToFirst } = await failOver('synchronous');
    assert.deepEqual(lost, []);
    assert.ok(acknowledged > 400);
    assert.ok(secondsToFirst < 2, `the first acknowledgement came after ${secondsToFirst} s`);
    assert.equal(resets, 2, 'each server began anew on the other timeline');
  });

  it('control: a standby that lags behind loses writes, and that is caught', async () => {
    const { lost } = await failOver('lagging');
    assert.ok(lost.length > 0, 'it was not caught');
  });
});
