// Servers send hints about commits, so that others need not wait for their next poll.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Engine } from '../../src/engine/engine.ts';
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';

const HOUR_MS = 3_600_000;

/** Resolves with the sequence of the next commit that the engine reports. */
function nextCommit(engine: Engine): Promise<number> {
  return new Promise((resolve) => {
    const stop = engine.subscribe({
      onCommit: ({ sequence }) => {
        stop();
        resolve(sequence);
      },
      onReset: () => undefined,
    });
  });
}

async function withServers(
  pollMs: number,
  work: (first: Engine, second: Engine, server: PostgresServer) => Promise<void>,
): Promise<void> {
  await using server = await PostgresServer.start();
  const options = { url: server.url(), testing: { pollMs } };
  const first = await openPostgresEngine(options);
  const second = await openPostgresEngine(options);
  try {
    await first.createRegion(plainRegion('orders'));
    await work(first, second, server);
  } finally {
    await first.close();
    await second.close();
  }
}

async function commit(engine: Engine, key: string): Promise<number> {
  const region = await engine.openRegion('orders');
  const outcome = await region?.write([{ kind: 'put', key, value: '1' }]);
  assert.equal(outcome?.kind, 'committed');
  return outcome.version;
}

it('hints make servers that never poll catch up, in both directions', async () => {
  await withServers(HOUR_MS, async (first, second) => {
    await second.catchUp();
    for (let i = 0; i < 5; i += 1) {
      const [from, to] = i % 2 === 0 ? [first, second] : [second, first];
      await to.catchUp();
      const received = nextCommit(to);
      const version = await commit(from, `k${i}`);
      assert.equal(await received, version);
    }
  });
});

it('follows by polling without hints', async () => {
  await withServers(50, async (first, second, server) => {
    await second.catchUp();
    const expected = first.stats().sequence + 1;
    const received = nextCommit(second);
    // Written with SQL, so that no hint is sent.
    await server.query(`INSERT INTO gridkeep.changes
      SELECT (c2).* FROM (SELECT c, jsonb_populate_record(c, jsonb_build_object(
        'sequence', c.sequence + 1, 'position', c.position + 1)) AS c2
        FROM gridkeep.changes c ORDER BY c.sequence DESC LIMIT 1) t`);
    assert.equal(await received, expected);
  });
});
