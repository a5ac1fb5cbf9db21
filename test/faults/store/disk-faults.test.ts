// A full disk, and a disk that fails to sync. Both need privileges; without them the tests are
// skipped.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EngineError } from '../../../src/engine/errors.ts';
import { openSqliteEngine } from '../../../src/engine/sqlite/sqlite-engine.ts';
import { plainRegion } from '../../../src/engine/testing/plain-region.ts';

const DEFINITION = plainRegion('orders');

function temporaryDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-disk-'));
  context.after(() => {
    spawnSync('umount', [join(directory, 'disk')]);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** A file system of 16 MiB; undefined if it cannot be mounted. */
function mountSmallDisk(directory: string): string | undefined {
  const disk = join(directory, 'disk');
  mkdirSync(disk);
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]);
  return mount.status === 0 ? disk : undefined;
}

it('refuses writes on a full disk, serves reads, and writes again when there is space', async (t) => {
  const directory = mountSmallDisk(temporaryDirectory(t));
  if (directory === undefined) return t.skip('no right to mount a small disk');
  const engine = await openSqliteEngine({ directory: join(directory, 'data') });
  try {
    await engine.createRegion(DEFINITION);
    const region = await engine.openRegion('orders');
    assert.ok(region);
    const put = (key: string, size: number) =>
      region.write([{ kind: 'put', key, value: JSON.stringify('x'.repeat(size)) }]);
    await put('first', 10);
    const filler = join(directory, 'filler');
    fillDisk(filler);

    const acknowledged = new Set(['first']);
    const codes = new Set<string>();
    for (let i = 0; i < 30; i++) {
      try {
        await put(`k${i}`, 500_000);
        acknowledged.add(`k${i}`);
      } catch (error) {
        assert.ok(error instanceof EngineError);
        codes.add(error.code);
      }
    }
    assert.deepEqual([...codes], ['engine/store-full']);
    assert.equal(await region.count(), acknowledged.size);
    const read = await region.read([...acknowledged]);
    assert.ok(read.every((entry) => entry !== undefined));

    rmSync(filler);
    const outcome = await put('later', 100);
    assert.equal(outcome.kind, 'committed');
    assert.equal(await region.count(), acknowledged.size + 1);
  } finally {
    await engine.close();
  }
  const again = await openSqliteEngine({ directory: join(directory, 'data') });
  assert.ok((await (await again.openRegion('orders'))?.read(['later']))?.[0]);
  await again.close();
});

/** Fills nearly all space. */
function fillDisk(file: string): void {
  for (let megabytes = 15; megabytes > 0; megabytes--) {
    try {
      writeFileSync(file, Buffer.alloc(megabytes * 1024 * 1024, 1));
      return;
    } catch {
      rmSync(file, { force: true });
    }
  }
}

it('stops writing at the first failed sync, never retries it, and serves reads', async (t) => {
  const directory = temporaryDirectory(t);
  if (spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status !== 0) {
    return t.skip('strace is not here or may not trace');
  }
  // Created beforehand, so that the syncs of its creation are not counted.
  await (await openSqliteEngine({ directory: join(directory, 'data') })).close();
  const trace = join(directory, 'trace');
  const script = fileURLToPath(new URL('./sync-failure-process.ts', import.meta.url));
  const inject = 'inject=fdatasync,fsync:error=EIO:when=12+';
  const run = spawnSync(
    'strace',
    [
      '-f',
      '-o',
      trace,
      '-e',
      'trace=fdatasync,fsync',
      '-e',
      inject,
      process.execPath,
      script,
      join(directory, 'data'),
    ],
    { encoding: 'utf8' },
  );
  assert.equal(run.status, 0, run.stderr);
  const outcomes: string[] = JSON.parse(run.stdout);
  const firstFailure = outcomes.indexOf('engine/store-failed');
  assert.ok(firstFailure > 0, `some writes succeed first: ${run.stdout}`);
  assert.ok(outcomes.slice(firstFailure).every((outcome) => outcome === 'engine/store-failed'));
  const failures = readFileSync(trace, 'utf8').match(/INJECTED/g) ?? [];
  assert.equal(failures.length, 1, 'one sync failed and none was tried after it');
});
