// F6 and F7: damaged files and unusable directories. Every answer is right, and a store that cannot be
// served is refused with one plain line.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { pickSeed } from '../../src/value/testing/share-of-runs.ts';
import { Client } from './client.ts';
import { makeGolden, runDamage, tryStore } from './damage.ts';
import { TemporaryDirectory } from './directory.ts';
import { GridkeepProcess } from './gridkeep-process.ts';
import { InProcessGridkeep } from './in-process-gridkeep.ts';
import { pickSize } from './sizes.ts';

describe('F6 damaged file', () => {
  const files = pickSize({ quick: 6, short: 12 });

  it(`gives no wrong answer from ${files} damaged files; the control is detected`, async () => {
    using directory = new TemporaryDirectory();
    const golden = await makeGolden(directory.join('golden'));
    // Deterministic: the same files each time, others in the long form.
    const seed = pickSeed();
    const figures = await runDamage(golden, { files, seed, into: directory.path });
    assert.deepEqual(figures.wrong, [], `TEST_SEED=${seed}`);
    assert.ok(figures.refused > 0, 'some are refused');

    assert.deepEqual(await tryStore(golden.directory, golden.answers), { kind: 'right' });
    // The control: a sound file with other contents.
    const changed = directory.join('changed');
    cpSync(golden.directory, changed, { recursive: true });
    const service = await InProcessGridkeep.start({ data: changed });
    using client = new Client(service.port);
    await client.require('PUT', '/orders/order-00003', { body: '{"i":-1}' });
    await service.stop();
    assert.equal((await tryStore(changed, golden.answers)).kind, 'wrong');
  });
});

describe('F7 directories', () => {
  it('names a directory without write permission', async (t) => {
    using directory = new TemporaryDirectory();
    const data = directory.join('data');
    mkdirSync(data);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      // Permissions do not apply to root, but a read-only file system does.
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', data]);
      if (mounted.status !== 0) return t.skip('root, and no right to mount a read-only disk');
    } else chmodSync(data, 0o500);
    try {
      const { code, err } = await InProcessGridkeep.refuse({ data });
      assert.equal(code, 1);
      assert.match(err, /^gridkeep: the data directory .*data cannot be used: .*\n$/);
    } finally {
      if (isRoot) spawnSync('umount', [data]);
      else chmodSync(data, 0o700);
    }
  });

  it('refuses a second server on the same directory, and the first continues', async () => {
    using directory = new TemporaryDirectory();
    const data = directory.join('data');
    await using first = await GridkeepProcess.start({ data });
    const { code, err } = await GridkeepProcess.refuse({ data });
    assert.equal(code, 1);
    assert.equal(err, `gridkeep: Another server is using ${data}\n`);
    using client = new Client(first.port);
    assert.equal((await client.get('/ping')).status, 200);
  });

  it('control: when the first has ended, the second can start', async () => {
    using directory = new TemporaryDirectory();
    const data = directory.join('data');
    await (await GridkeepProcess.start({ data })).kill();
    await using second = await InProcessGridkeep.start({ data });
    assert.ok(second.port > 0);
  });

  it('ends with a plain message when its directory is removed while it runs', async () => {
    using directory = new TemporaryDirectory();
    const data = directory.join('data');
    await using process = await GridkeepProcess.start({
      data,
      yaml: 'regions: [{ name: orders }]',
    });
    using client = new Client(process.port);
    assert.equal((await client.put('/orders/a', '{}'))?.status, 200);
    rmSync(data, { recursive: true });
    // Anything written now would be lost, so nothing may be acknowledged.
    const reply = await client.put('/orders/b', '{}');
    assert.notEqual(reply?.status, 200);
    const { code, err } = await process.finished;
    assert.equal(code, 70);
    const lost = err.split('\n').filter((line) => line.includes('"event":"store-lost"'));
    assert.equal(lost.length, 1);
    assert.equal(JSON.parse(lost[0] ?? '').directory, data);
  });
});
