// A damaged file is refused or answers correctly; it is never silently wrong.

import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Engine } from '../../../src/engine/engine.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { ReadView } from '../../../src/engine/sqlite/read-view.ts';
import { PAGE_BYTES } from '../../../src/engine/sqlite/schema.ts';
import { openSqliteEngine } from '../../../src/engine/sqlite/sqlite-engine.ts';
import { createRandom } from '../../../src/sample/random.ts';
import { pickSeed } from '../../../src/value/testing/share-of-runs.ts';

const ENTRIES = 400;
const FLIPS = 25;
const SEED = pickSeed();
const root = mkdtempSync(join(tmpdir(), 'gridkeep-damage-'));
const golden = join(root, 'golden');
let expected: unknown;

function keyOf(i: number): string {
  return `order-${String(i).padStart(5, '0')}`;
}

function valueFor(i: number): string {
  return JSON.stringify({ i, text: `text of ${i} `.repeat(1 + (i % 40)) });
}

async function readEverything(engine: Engine): Promise<unknown> {
  const regions = await engine.describeRegions();
  const snapshot = await engine.openSnapshot();
  const keys = Array.from({ length: ENTRIES }, (_, i) => [keyOf(i), `${keyOf(i)}x`]).flat();
  const rows: unknown[] = [];
  const listed: string[] = [];
  for (const { name } of regions) {
    // Once before and once after the batches are remembered.
    for await (const values of snapshot.scan(name, {}, 'values'))
      rows.push(Buffer.from(values).toString());
    for await (const { keys: names, values } of snapshot.scan(name, {}, 'entries')) {
      rows.push(Buffer.from(names.bytes).toString(), Buffer.from(values.bytes).toString());
    }
    for await (const values of snapshot.scan(name, {}, 'values'))
      rows.push(Buffer.from(values).toString());
    for await (const batch of snapshot.scan(name, {}, 'keys')) listed.push(...batch);
    rows.push(snapshot.count(name), await snapshot.read(name, keys));
    const region = await engine.openRegion(name);
    for (const key of keys) rows.push(await region?.read([key]));
  }
  snapshot.close();
  return { regions, rows, listed };
}

before(async () => {
  const engine = await openSqliteEngine({ directory: golden });
  await engine.createRegion({
    name: 'orders',
    type: 'REPLICATE',
    keyConstraint: null,
    valueConstraint: null,
  });
  const region = await engine.openRegion('orders');
  // In a mixed order, so that pages split as in practice.
  const changes = Array.from({ length: ENTRIES }, (_, i) => {
    const n = (i * 77) % ENTRIES;
    return { kind: 'put', key: keyOf(n), value: valueFor(n) } as const;
  });
  await region?.write(changes);
  await region?.write([{ kind: 'remove', key: keyOf(7) }]);
  expected = await readEverything(engine);
  await engine.close();
});

after(() => rmSync(root, { recursive: true, force: true }));

function damagedCopy(damage: (file: Buffer) => Buffer): string {
  const directory = mkdtempSync(join(root, 'copy-'));
  const file = readFileSync(join(golden, 'gridkeep.db'));
  writeFileSync(join(directory, 'gridkeep.db'), damage(Buffer.from(file)));
  return directory;
}

/** `refused` when an error names the file, `right` when every answer is as before. */
async function tryDamaged(directory: string): Promise<'refused' | 'right'> {
  let engine: Engine | undefined;
  try {
    engine = await openSqliteEngine({ directory });
    assert.deepEqual(await readEverything(engine), expected, 'a wrong answer without an error');
    return 'right';
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    assert.ok(['engine/store-damaged', 'engine/store-newer'].includes(error.code), error.message);
    assert.ok(error.message.includes('gridkeep.db'), 'the message names the file');
    return 'refused';
  } finally {
    await engine?.close();
  }
}

describe('a damaged store', () => {
  it('is right when nothing is damaged', async () => {
    assert.equal(await tryDamaged(damagedCopy((file) => file)), 'right');
  });

  it('is refused when it is truncated', async () => {
    const size = readFileSync(join(golden, 'gridkeep.db')).length;
    for (const length of [0, 1, 50, 100, PAGE_BYTES, size >> 1, size - PAGE_BYTES, size - 1]) {
      const directory = damagedCopy((file) => file.subarray(0, length));
      assert.equal(await tryDamaged(directory), 'refused', `cut to ${length} bytes`);
    }
  });

  it('is refused when its header is zeroed, or when it is not a store', async () => {
    const zeroed = damagedCopy((file) => file.fill(0, 0, 100));
    assert.equal(await tryDamaged(zeroed), 'refused');
    const text = damagedCopy(() => Buffer.from('hello '.repeat(10_000)));
    assert.equal(await tryDamaged(text), 'refused');
  });

  it('is refused when its header forbids writing or reading', async () => {
    for (const at of [18, 19]) {
      for (const byte of [0, 3, 6, 130]) {
        const directory = damagedCopy((file) => file.fill(byte, at, at + 1));
        assert.equal(await tryDamaged(directory), 'refused', `byte ${at} is ${byte}`);
      }
    }
  });

  it('is refused when the file is gone but its log is there', async () => {
    const directory = mkdtempSync(join(root, 'copy-'));
    copyFileSync(join(golden, 'gridkeep.db'), join(directory, 'gridkeep.db-wal'));
    assert.equal(await tryDamaged(directory), 'refused');
  });

  it('is refused or right when any page is overwritten', async () => {
    const pages = readFileSync(join(golden, 'gridkeep.db')).length / PAGE_BYTES;
    const outcomes: string[] = [];
    for (let page = 1; page < pages; page += 11) {
      const byte = page % 2 === 0 ? 0 : 0xa5;
      const directory = damagedCopy((file) =>
        file.fill(byte, page * PAGE_BYTES, (page + 1) * PAGE_BYTES),
      );
      outcomes.push(await tryDamaged(directory));
    }
    assert.ok(outcomes.includes('refused'));
  });

  it('is not even opened when two of its pages are swapped', async () => {
    const pages = readFileSync(join(golden, 'gridkeep.db')).length / PAGE_BYTES;
    for (let page = 3; page + 1 < pages; page += 8) {
      const directory = damagedCopy((file) => {
        const at = page * PAGE_BYTES;
        const first = Buffer.from(file.subarray(at, at + PAGE_BYTES));
        file.copy(file, at, at + PAGE_BYTES, at + 2 * PAGE_BYTES);
        first.copy(file, at + PAGE_BYTES);
        return file;
      });
      await assert.rejects(openSqliteEngine({ directory }), isDamage, `page ${page}`);
    }
  });

  it('is refused or right when any bit is flipped', async () => {
    const outcomes: string[] = [];
    const random = createRandom(SEED);
    const { length } = readFileSync(join(golden, 'gridkeep.db'));
    for (let n = 0; n < FLIPS; n++) {
      const bit = random.between(0, length * 8 - 1);
      const directory = damagedCopy((file) => flip(file, bit));
      try {
        outcomes.push(await tryDamaged(directory));
      } catch (error) {
        throw new Error(`at bit ${bit} of the file, TEST_SEED=${SEED}`, { cause: error });
      }
    }
    assert.ok(outcomes.includes('refused'), 'most bits of a full file matter');
  });
});

it('detects a flipped bit of a key or value on reading, without a check at the start', () => {
  const file = readFileSync(join(golden, 'gridkeep.db'));
  const key = keyOf(123);
  const value = valueFor(123);
  // The change log has the key too, and split pages leave dead copies. A flip there changes nothing,
  // but one of the offsets is the entry itself.
  for (const [text, offsets] of [
    [key, [0, 8, 10]],
    [value, [0, 20, value.length - 1]],
  ] as const) {
    for (const offset of offsets) {
      for (const bit of [0, 3, 6]) {
        const outcomes = placesOf(file, text).map((at) =>
          readFlipped((at + offset) * 8 + bit, key, value),
        );
        assert.equal(outcomes.filter((outcome) => outcome === 'refused').length, 1);
      }
    }
  }
});

function placesOf(file: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = file.indexOf(text); at >= 0; at = file.indexOf(text, at + 1)) places.push(at);
  return places;
}

function readFlipped(bit: number, key: string, value: string): 'refused' | 'right' {
  const directory = damagedCopy((copy) => flip(copy, bit));
  const view = new ReadView(join(directory, 'gridkeep.db'));
  view.pin();
  const region = view.findRegion('orders');
  assert.ok(region);
  try {
    assert.equal(view.read(region, [key])[0]?.value, value);
    assert.equal(view.readFirst(region, ENTRIES).keys.length, ENTRIES - 1);
    return 'right';
  } catch (error) {
    assert.ok(isDamage(error), `bit ${bit} is noticed`);
    assert.throws(() => view.readFirst(region, ENTRIES), isDamage, `bit ${bit}, by a scan`);
    return 'refused';
  } finally {
    view.close();
  }
}

function flip(file: Buffer, bit: number): Buffer {
  const at = bit >> 3;
  file[at] = (file[at] ?? 0) ^ (1 << (bit & 7));
  return file;
}

function isDamage(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'engine/store-damaged';
}
