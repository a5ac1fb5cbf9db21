// The checkpoint thread copies the write-ahead log beside the writer. Nothing is lost, even when the
// thread dies.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { Engine } from '../engine.ts';
import { plainRegion } from '../testing/plain-region.ts';
import { checkStore } from './check-store.ts';
import { Checkpointer } from './checkpointer.ts';
import { openSqliteEngine } from './sqlite-engine.ts';
import { storeFiles } from './store-files.ts';
import { Writer } from './writer.ts';

const MEGABYTE = 1024 * 1024;
const CHECKPOINT_BYTES = 8 * MEGABYTE;
const VALUES = 12;

test('the checkpoint thread copies a long log while writes continue', async (t) => {
  const { directory, engine } = await open(t);
  const started = nextThread();
  await writeMuch(engine);
  const checkpointer = await started;
  await assertWhole(engine);
  const ended = once(checkpointer, 'exit');
  await engine.close();
  await ended;
  await assertSound(directory);
  const again = await openSqliteEngine({ directory });
  await assertWhole(again);
  await again.close();
});

for (const [what, values] of [
  ['short', 3],
  ['long', 12],
] as const) {
  test(`a ${what} log is copied after a second without writes`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { directory, engine } = await open(t, 64 * MEGABYTE);
    const size = (): number => statSync(storeFiles(directory).data).size;
    const empty = size();
    await writeMuch(engine, values);
    t.mock.timers.tick(900);
    await writeMuch(engine, 1);
    t.mock.timers.tick(900);
    // The writer answers this last, and a commit resets the idle time.
    await engine.commit([]);
    assert.equal(size(), empty, 'nothing is copied before the idle time is over');
    t.mock.timers.tick(1_000);
    while (size() < values * MEGABYTE) await nextRound();
    await engine.close();
    await assertSound(directory);
  });
}

test('the writer copies the log itself when the checkpoint thread dies', async (t) => {
  const { directory, engine } = await open(t);
  const died = nextThread().then((checkpointer) => checkpointer.terminate());
  await writeMuch(engine);
  await died;
  await writeMuch(engine);
  assert.deepEqual(engine.health(), {});
  await assertWhole(engine);
  await engine.close();
  await assertSound(directory);
});

// Closing any descriptor of a file releases the locks that the process has on it.
test('SQLite has its locks on the data file after a checkpoint', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { directory, engine } = await open(t);
  const { data } = storeFiles(directory);
  const { ino } = statSync(data);
  const countLocks = (): number =>
    readFileSync('/proc/locks', 'latin1').match(new RegExp(`:${ino} `, 'g'))?.length ?? 0;
  assert.equal(countLocks(), 1);
  const started = nextThread();
  const writes = writeMuch(engine);
  const checkpointer = await started;
  const copied = once(checkpointer, 'message');
  const ended = once(checkpointer, 'exit');
  await Promise.all([writes, copied]);
  assert.ok(statSync(data).size >= CHECKPOINT_BYTES);
  assert.equal(countLocks(), 1);
  await engine.close();
  await ended;
  assert.equal(countLocks(), 0);
});

test('files that replaced those in use are not changed', async (t) => {
  const { directory, engine } = await open(t);
  await writeMuch(engine, 3);
  const files = storeFiles(directory);
  const checkpointer = new Checkpointer(files, 'always');
  copyFileSync(files.data, `${files.data}.other`);
  renameSync(`${files.data}.other`, files.data);
  const before = readFileSync(files.data);
  const failure = await new Promise((resolve) => checkpointer.run(CHECKPOINT_BYTES, resolve));
  assert.equal(failure, undefined);
  assert.deepEqual(readFileSync(files.data), before);
  await checkpointer.close();
  await engine.close();
  checkpointer.release();
});

test('a disk failure stops the writer, a full disk does not', (t) => {
  const directory = makeDirectory(t);
  const writer = new Writer({
    directory,
    durability: 'relaxed',
    maxChanges: 1000,
    maxChangeAgeMs: 1e9,
    testing: {},
  });
  writer.checkpoint({ code: 'engine/store-full', message: 'The disk is full.' });
  assert.deepEqual(writer.failureNotice(), {});
  const failure = { code: 'engine/store-failed', message: 'The disk failed.' } as const;
  writer.checkpoint(failure);
  assert.deepEqual(writer.failureNotice(), { failure });
  writer.close();
});

function makeDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-checkpointer-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function open(
  t: TestContext,
  checkpointBytes = CHECKPOINT_BYTES,
): Promise<{ readonly directory: string; readonly engine: Engine }> {
  const directory = makeDirectory(t);
  const engine = await openSqliteEngine({
    directory,
    durability: 'relaxed',
    testing: { checkpointBytes },
  });
  await engine.createRegion(plainRegion('r'));
  return { directory, engine };
}

/** The next thread that this process starts. */
function nextThread(): Promise<Worker> {
  return new Promise((resolve) => {
    process.once('worker', resolve);
  });
}

async function writeMuch(engine: Engine, values = VALUES): Promise<void> {
  const region = await engine.openRegion('r');
  for (let i = 0; i < values; i += 1) {
    await region?.write([{ kind: 'put', key: `k${i}`, value: makeValue(i) }]);
  }
}

async function assertWhole(engine: Engine): Promise<void> {
  const region = await engine.openRegion('r');
  for (let i = 0; i < VALUES; i += 1) {
    const [entry] = (await region?.read([`k${i}`])) ?? [];
    assert.ok(entry?.value === makeValue(i), `k${i} is what was written`);
  }
}

async function assertSound(directory: string): Promise<void> {
  const { shown } = await checkStore(storeFiles(directory), () => undefined);
  assert.deepEqual(shown, []);
}

function makeValue(i: number): string {
  return JSON.stringify({ text: String(i).padEnd(MEGABYTE, 'x') });
}
