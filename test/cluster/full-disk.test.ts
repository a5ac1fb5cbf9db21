// The disk of the tables or of the log of the database is full. A full log disk stops the database.
// Nothing acknowledged is lost, reads continue where possible, and all resumes when there is space.
// Needs root and loop devices; otherwise the tests are skipped.

import assert from 'node:assert/strict';
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import type { Engine } from '../../src/engine/engine.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { TemporaryDirectory } from '../faults/directory.ts';
import { LoopDisk } from '../faults/loop-disk.ts';
import { IS_SHORT } from '../faults/sizes.ts';
import { type Acknowledged, findLost, until } from './replicated-pair.ts';

const NOBODY = 65_534;
const MEBIBYTE = 1024 * 1024;
/** Text that does not compress, so that it takes its full size on disk. */
const PIECES = 40;

async function withDisk(
  t: TestContext,
  mebibytes: number,
  work: (disk: LoopDisk) => Promise<void>,
): Promise<void> {
  using directory = new TemporaryDirectory();
  const disk = await LoopDisk.create(directory.path, mebibytes);
  if (typeof disk === 'string') return t.skip(disk);
  await using owned = disk;
  chmodSync(directory.path, 0o755);
  chmodSync(owned.path, 0o777);
  await work(owned);
}

/** Fills all space but `leave`. */
function fill(path: string, leave: number): void {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(64 * 1024);
  let written = 0;
  try {
    for (;;) written += writeSync(file, block);
  } catch (error) {
    assert.equal(Object(error).code, 'ENOSPC');
  } finally {
    closeSync(file);
  }
  if (leave > 0) {
    rmSync(path);
    const again = openSync(path, 'w');
    for (let left = written - leave; left > 0; left -= block.length) writeSync(again, block);
    closeSync(again);
  }
}

let keys = 0;

/** Writes an entry of a quarter of a mebibyte; returns the error code when it is refused. */
async function put(engine: Engine): Promise<Acknowledged | string> {
  keys += 1;
  const key = `k${keys}`;
  let text = '';
  for (let i = 0; i < PIECES * 400; i += 1) text += Math.random().toString(36).slice(2, 18);
  try {
    const region = await engine.openRegion('orders');
    const outcome = await region?.write([{ kind: 'put', key, value: `"${text}"` }]);
    assert.equal(outcome?.kind, 'committed');
    return { key, version: outcome.version };
  } catch (error) {
    if (error instanceof EngineError) return error.code;
    throw error;
  }
}

async function putUntilRefused(engine: Engine, acknowledged: Acknowledged[]): Promise<string> {
  for (let i = 0; i < 1000; i += 1) {
    const found = await put(engine);
    if (typeof found === 'string') return found;
    acknowledged.push(found);
  }
  throw new Error('there is no end of the room');
}

/** Starts two servers whose tables, and nothing else of the database, are on the disk. */
async function withTablesOn(
  disk: LoopDisk,
  work: (engines: readonly Engine[]) => Promise<void>,
): Promise<void> {
  const tables = `${disk.path}/tables`;
  mkdirSync(tables);
  chownSync(tables, NOBODY, NOBODY);
  await using server = await PostgresServer.start({
    settings: { fsync: 'on', default_tablespace: 'small' },
  });
  await server.query(`CREATE TABLESPACE small LOCATION '${tables}'`);
  const url = server.url();
  const engines = [await openPostgresEngine({ url }), await openPostgresEngine({ url })];
  try {
    await engines[0]?.createRegion(plainRegion('orders'));
    await work(engines);
  } finally {
    for (const engine of engines) await engine.close();
    await server.kill('SIGINT');
    rmSync(tables, { recursive: true });
  }
}

describe('a full disk of the database', () => {
  const skip = IS_SHORT ? false : 'npm run test:faults runs it';

  it('refuses writes with engine/store-full, serves reads, writes again, loses nothing', async (t) => {
    await withDisk(t, 24, (disk) =>
      withTablesOn(disk, async (engines) => {
        const [first, second] = engines;
        assert.ok(first !== undefined && second !== undefined);
        const filler = `${disk.path}/filler`;
        fill(filler, 4 * MEBIBYTE);
        const acknowledged: Acknowledged[] = [];
        for (const engine of engines) {
          assert.equal(await putUntilRefused(engine, acknowledged), 'engine/store-full');
          assert.match(engine.health().unwritable ?? '', /No space left/);
          assert.equal(engine.health().unreadable, undefined);
        }
        assert.ok(acknowledged.length > 0);
        for (const engine of engines) {
          assert.deepEqual(await findLost(acknowledged, engine), []);
          const snapshot = await engine.openSnapshot();
          assert.equal(snapshot.count('orders'), acknowledged.length, 'nothing of a refused write');
          snapshot.close();
        }
        rmSync(filler);
        for (const engine of engines) {
          const found = await put(engine);
          assert.ok(typeof found !== 'string', `${found}`);
          acknowledged.push(found);
        }
        assert.deepEqual(await findLost(acknowledged, second), []);
        await until(() => engines.every((engine) => engine.health().unwritable === undefined));
      }),
    );
  });

  it('control: a writer that counts a refused write as done is detected', { skip }, async (t) => {
    await withDisk(t, 24, (disk) =>
      withTablesOn(disk, async ([engine]) => {
        assert.ok(engine !== undefined);
        fill(`${disk.path}/filler`, 4 * MEBIBYTE);
        const acknowledged: Acknowledged[] = [];
        await putUntilRefused(engine, acknowledged);
        acknowledged.push({ key: `k${keys}`, version: engine.stats().sequence + 1 });
        assert.deepEqual(await findLost(acknowledged, engine), [`k${keys}`]);
      }),
    );
  });

  it('stops the database when the log disk is full; nothing is lost when there is space', {
    skip,
  }, async (t) => {
    await withDisk(t, 192, async (disk) => {
      const volume = `${disk.path}/postgres`;
      mkdirSync(volume);
      chownSync(volume, NOBODY, NOBODY);
      await using server = await PostgresServer.start({ volume, settings: { fsync: 'on' } });
      const engine = await openPostgresEngine({ url: server.url(), timeoutMs: 5000 });
      try {
        await engine.createRegion(plainRegion('orders'));
        const filler = `${disk.path}/filler`;
        fill(filler, 8 * MEBIBYTE);
        const acknowledged: Acknowledged[] = [];
        const code = await putUntilRefused(engine, acknowledged);
        // Which disk is full first depends on the position in the log file.
        const codes = ['engine/store-full', 'engine/unreachable', 'engine/outcome-unknown'];
        assert.ok(codes.includes(code), code);
        rmSync(filler);
        await server.kill();
        await server.boot();
        await until(() => engine.health().unreadable === undefined);
        let found = await put(engine);
        const deadline = performance.now() + 30_000;
        while (typeof found === 'string' && performance.now() < deadline) found = await put(engine);
        assert.ok(typeof found !== 'string', `${found}`);
        acknowledged.push(found);
        assert.deepEqual(await findLost(acknowledged, engine), []);
      } finally {
        await engine.close();
        await server.kill();
      }
    });
  });
});
