// F4: a full disk. Writes fail with a specific code, reads continue, and writes resume when there is
// space; nothing acknowledged is lost.

import assert from 'node:assert/strict';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, codeOf } from './client.ts';
import { TemporaryDirectory } from './directory.ts';
import { GridkeepProcess } from './gridkeep-process.ts';
import { InProcessGridkeep } from './in-process-gridkeep.ts';
import { LoopDisk } from './loop-disk.ts';
import { pickSize } from './sizes.ts';

const DISK_MIB = 16;
const YAML = 'regions: [{ name: orders }]\n';
/** Enough rounds for the disk to be full at different points of a commit. */
const FAILURES = pickSize({ quick: 6, short: 12 });
/** Interval between two checks of the readiness. */
const RETRY_MS = 10;

describe('F4 full disk', () => {
  it('refuses writes with engine/store-full, serves reads, writes again, loses nothing', async (t) => {
    await withDisk(t, async (disk) => {
      const options = { data: `${disk.path}/data`, yaml: YAML };
      const filler = `${disk.path}/filler`;
      const acknowledged = new Map<string, string>();
      {
        await using process = await GridkeepProcess.start(options);
        using client = new Client(process.port);
        fill(filler);
        const codes = await writeUntilFull(client, acknowledged);
        assert.deepEqual([...codes], ['500 engine/store-full']);
        assert.ok(acknowledged.size > 0, 'some were written before');
        assert.equal((await client.get('/ping')).status, 200);
        assert.deepEqual(await findLost(client, acknowledged), []);
        const ready = await client.sendTo('GET', '/readyz');
        assert.deepEqual([ready?.status, codeOf(ready)], [503, 'request/not-ready']);
        assert.match(ready?.text ?? '', /cannot be written: No space left/);

        rmSync(filler);
        // Without writes of clients: the store detects it by a probe.
        await waitForReadiness(client, 200);
        await put(client, 'later', 1, acknowledged, new Set());
        assert.ok(acknowledged.has('later'), 'it writes again');
        fill(filler);
        await writeUntilFull(client, acknowledged);
        await process.kill();
      }
      {
        // Killed on a completely full disk: reads are served.
        fillRest(`${disk.path}/rest`);
        await using process = await GridkeepProcess.start(options);
        using client = new Client(process.port);
        assert.deepEqual(await findLost(client, acknowledged), []);
        const codes = await writeUntilFull(client, acknowledged);
        assert.deepEqual([...codes], ['500 engine/store-full']);
        await process.kill();
        rmSync(`${disk.path}/rest`);
      }
      rmSync(filler);
      const service = await InProcessGridkeep.start(options);
      using client = new Client(service.port);
      assert.deepEqual(await findLost(client, acknowledged), []);
      assert.equal((await client.put('/orders/last', '{}'))?.status, 200);
      assert.equal((await service.stop()).code, 0);
    });
  });

  it('starts and serves reads after a clean stop, with no free block', async (t) => {
    await withDisk(t, async (disk) => {
      const options = { data: `${disk.path}/data`, yaml: YAML };
      const filler = `${disk.path}/filler`;
      const acknowledged = new Map<string, string>();
      {
        await using service = await InProcessGridkeep.start(options);
        using client = new Client(service.port);
        for (const key of ['a', 'b', 'c']) await put(client, key, 5000, acknowledged, new Set());
        assert.equal((await service.stop()).code, 0);
      }
      fillRest(filler);
      // The second start uses the reserve that the stop on the full disk left.
      for (const round of pickSize({ quick: [1, 2], short: [1, 2, 3] })) {
        await using service = await InProcessGridkeep.start(options);
        using client = new Client(service.port);
        // Reported before any client has written.
        const ready = await waitForReadiness(client, 503);
        assert.match(ready, /cannot be written: No space left/, `round ${round}`);
        assert.deepEqual(await findLost(client, acknowledged), []);
        const codes = new Set<string>();
        await put(client, 'later', 1, acknowledged, codes);
        assert.deepEqual([...codes], ['500 engine/store-full']);
        assert.equal((await service.stop()).code, 0);
      }
      await using service = await InProcessGridkeep.start(options);
      using client = new Client(service.port);
      await waitForReadiness(client, 503);
      rmSync(filler);
      await waitForReadiness(client, 200);
      await put(client, 'later', 120_000, acknowledged, new Set());
      assert.equal(acknowledged.size, 4);
      assert.deepEqual(await findLost(client, acknowledged), []);
      assert.equal((await service.stop()).code, 0);
    });
  });

  it('starts and serves reads after a stop whose log was too long for the full disk', async (t) => {
    await withDisk(t, async (disk) => {
      const options = { data: `${disk.path}/data`, yaml: YAML };
      const filler = `${disk.path}/filler`;
      const acknowledged = new Map<string, string>();
      {
        await using service = await InProcessGridkeep.start(options);
        using client = new Client(service.port);
        // Shorter than a log that is checkpointed, longer than the reserve.
        for (let i = 0; i < 8; i += 1) await put(client, `k${i}`, 120_000, acknowledged, new Set());
        fillRest(filler);
        assert.equal((await service.stop()).code, 0);
      }
      fillRest(filler);
      for (const round of [1, 2]) {
        await using service = await InProcessGridkeep.start(options);
        using client = new Client(service.port);
        await waitForReadiness(client, 503);
        assert.deepEqual(await findLost(client, acknowledged), [], `round ${round}`);
        assert.equal((await service.stop()).code, 0);
      }
      rmSync(filler);
      await using service = await InProcessGridkeep.start(options);
      using client = new Client(service.port);
      await waitForReadiness(client, 200);
      assert.equal(acknowledged.size, 8);
      assert.deepEqual(await findLost(client, acknowledged), []);
    });
  });

  it('starts and serves reads after a crash with durability relaxed and a long log', async (t) => {
    await withDisk(t, async (disk) => {
      const flags = ['--durability', 'relaxed'];
      const options = { data: `${disk.path}/data`, yaml: YAML, flags };
      const acknowledged = new Map<string, string>();
      {
        await using process = await GridkeepProcess.start(options);
        using client = new Client(process.port);
        for (let i = 0; i < 8; i += 1) await put(client, `k${i}`, 120_000, acknowledged, new Set());
        await process.kill();
      }
      // Each start continues with other numbers, which it has to write.
      for (const round of [1, 2]) {
        fillRest(`${disk.path}/filler`);
        await using process = await GridkeepProcess.start(options);
        using client = new Client(process.port);
        assert.equal(acknowledged.size, 8);
        assert.deepEqual(await findLost(client, acknowledged), [], `round ${round}`);
        await process.kill();
      }
    });
  });

  it('continues without limit when the same few values are overwritten', async (t) => {
    await withDisk(t, async (disk) => {
      await using service = await InProcessGridkeep.start({
        data: `${disk.path}/data`,
        yaml: YAML,
      });
      using client = new Client(service.port);
      const failed: string[] = [];
      // How many times the capacity of the disk is written.
      const times = pickSize({ quick: 2, short: 4 });
      for (let i = 0; i < times * DISK_MIB * 8; i += 1) {
        const value = JSON.stringify({ n: i, pad: 'x'.repeat(128 * 1024) });
        const reply = await client.put(`/orders/k${i % 4}`, value);
        // The failed write triggers the checkpoint that frees space for the next ones.
        if (reply?.status !== 200) failed.push(codeOf(reply));
      }
      assert.ok(failed.length <= times * 4, `${failed.length} failed`);
      assert.deepEqual(
        [...new Set(failed)].filter((code) => code !== 'engine/store-full'),
        [],
      );
      assert.equal((await client.put('/orders/last', '{}'))?.status, 200);
    });
  });

  it('control: a service that answers before it commits is detected', async (t) => {
    await withDisk(t, async (disk) => {
      const options = { data: `${disk.path}/data`, yaml: YAML, fault: 'early-answer' };
      await using process = await GridkeepProcess.start(options);
      using client = new Client(process.port);
      fill(`${disk.path}/filler`);
      const acknowledged = new Map<string, string>();
      let lost: readonly string[] = [];
      for (let i = 0; i < 100 && lost.length === 0; i += 1) {
        await put(client, `k${i}`, 200_000, acknowledged, new Set());
        if (i % 10 === 9) lost = await findLost(client, acknowledged);
      }
      assert.notDeepEqual(lost, []);
    });
  });
});

async function withDisk(t: TestContext, work: (disk: LoopDisk) => Promise<void>): Promise<void> {
  using directory = new TemporaryDirectory();
  const disk = await LoopDisk.create(directory.path, DISK_MIB);
  if (typeof disk === 'string') return t.skip(disk);
  await using owned = disk;
  await work(owned);
}

/** Fills all space but about a mebibyte. */
function fill(file: string): void {
  for (let kibibytes = DISK_MIB * 1024; kibibytes > 0; kibibytes -= 256) {
    try {
      writeFileSync(file, Buffer.alloc(kibibytes * 1024, 1));
      writeFileSync(file, Buffer.alloc(Math.max(0, kibibytes - 1024) * 1024, 1));
      return;
    } catch {
      rmSync(file, { force: true });
    }
  }
}

/** Fills the rest, to the last block. */
function fillRest(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4096, 1));
  } catch {
    // The disk is full.
  } finally {
    closeSync(descriptor);
  }
}

async function writeUntilFull(
  client: Client,
  acknowledged: Map<string, string>,
): Promise<ReadonlySet<string>> {
  const codes = new Set<string>();
  for (let i = 0, failures = 0; failures < FAILURES; i += 1) {
    assert.ok(i < 2000, 'the disk never gets full');
    // Large and small, new keys and old ones.
    const before = codes.size;
    const written = await put(
      client,
      `k${i % 40}`,
      i % 3 === 0 ? 50 : 120_000,
      acknowledged,
      codes,
    );
    if (!written || codes.size > before) failures += 1;
  }
  return codes;
}

/** The text of the first answer of /readyz with this status. */
async function waitForReadiness(client: Client, status: 200 | 503): Promise<string> {
  for (;;) {
    const reply = await client.sendTo('GET', '/readyz');
    if (reply?.status === status) return reply.text;
    await delay(RETRY_MS);
  }
}

let writes = 0;

/** Writes a unique value of about this many bytes. */
async function put(
  client: Client,
  key: string,
  bytes: number,
  acknowledged: Map<string, string>,
  codes: Set<string>,
): Promise<boolean> {
  writes += 1;
  const value = JSON.stringify({ n: writes, pad: 'x'.repeat(bytes) });
  const reply = await client.put(`/orders/${key}`, value);
  if (reply?.status === 200) acknowledged.set(key, value);
  else codes.add(`${reply?.status} ${codeOf(reply)}`);
  return reply?.status === 200;
}

/** The keys whose value is not the last acknowledged one. */
async function findLost(
  client: Client,
  acknowledged: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [key, value] of acknowledged) {
    const { status, text } = await client.get(`/orders/${key}`);
    if (status !== 200 || text !== `{"orders":[${value}]}`) lost.push(`${key}: ${status}`);
  }
  return lost;
}
