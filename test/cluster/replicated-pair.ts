// A primary and its standby, and the outcomes that writers received.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../../src/engine/engine.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';

export const REPLICATED: Readonly<Record<string, string>> = {
  fsync: 'on',
  wal_level: 'replica',
  max_wal_senders: '5',
};

export interface Acknowledged {
  readonly key: string;
  readonly version: number;
}

/** Creates a standby of a server, which follows it if the server allows it. */
export async function copyServer(
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

/** Writes a new entry; returns the error code when it is refused. */
export async function write(engine: Engine, key: string): Promise<Acknowledged | string> {
  try {
    const region = await engine.openRegion('orders');
    const outcome = await region?.write(
      [{ kind: 'put', key, value: `{"key":"${key}"}` }],
      [{ kind: 'all-absent' }],
    );
    return outcome?.kind === 'committed'
      ? { key, version: outcome.version }
      : `${key} was answered ${outcome?.kind}`;
  } catch (error) {
    if (error instanceof EngineError) return error.code;
    throw error;
  }
}

/** Acknowledged writes that are missing or have another version. */
export async function findLost(
  acknowledged: readonly Acknowledged[],
  engine: Engine | undefined,
): Promise<readonly string[]> {
  const region = await engine?.openRegion('orders');
  const lost: string[] = [];
  for (let from = 0; from < acknowledged.length; from += 1000) {
    const some = acknowledged.slice(from, from + 1000);
    const entries = await region?.read(some.map(({ key }) => key));
    for (const [i, { key, version }] of some.entries()) {
      if (entries?.[i]?.version !== version) lost.push(key);
    }
  }
  const versions = new Set(acknowledged.map(({ version }) => version));
  if (versions.size < acknowledged.length) lost.push('a version was used twice');
  return lost;
}

export async function until(isReached: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!isReached()) {
    assert.ok(performance.now() < deadline, 'it takes too long');
    await delay(1);
  }
}
