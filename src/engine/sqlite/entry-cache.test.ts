// Reads of many keys return the same as single reads, whatever the cache contains.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createRandom } from '../../value/testing/seeded-random.ts';
import type { Engine, Region, StoredEntry } from '../engine.ts';
import { splitValues } from '../joined-texts.ts';
import { plainRegion } from '../testing/plain-region.ts';
import { LONGEST_VALUE } from './cached-values.ts';
import { EntryCache, type ReadValues } from './entry-cache.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

const KEYS = ['a', 'b', 'c', 'key of a usual length', 'schlüssel', 'ключ', '\u0001', '😀'];

test('reads of many keys equal single reads after each change', async (t) => {
  const { engine, region } = await open(t);
  const random = createRandom(3);
  const pick = (): string => KEYS[random(KEYS.length)] ?? '';
  await region.write(KEYS.map((key) => ({ kind: 'put', key, value: '{"n":0}' })));
  let fromCache = 0;
  for (let step = 1; step <= 400; step += 1) {
    const value = JSON.stringify({ n: step, text: 'ü😀'.repeat(random(20)) });
    if (random(4) === 0) await change(engine, region, { step: random(5), key: pick(), value });
    const keys = Array.from({ length: 1 + random(step % 2 === 0 ? 12 : 40) }, pick);
    // A read of one key does not use the cache.
    const single = await Promise.all(keys.map((key) => region.read([key])));
    const entries = single.flat();
    assert.deepEqual(await region.read(keys), entries);
    const together = await region.readTogether(keys);
    if (entries.includes(undefined)) {
      assert.equal(together, undefined);
      continue;
    }
    fromCache += 1;
    assert.deepEqual(
      together && splitValues(together.values),
      entries.map((entry) => entry?.value),
    );
    assert.deepEqual(
      together?.versions,
      entries.map((entry) => entry?.version),
    );
  }
  assert.ok(fromCache > 200, `${fromCache} reads found all keys`);
});

test('a caller may overwrite the returned values and their padding', async (t) => {
  const { region } = await open(t);
  await region.write(['a', 'b'].map((key) => ({ kind: 'put', key, value: `{"key":"${key}"}` })));
  for (let time = 0; time < 4; time += 1) {
    const { values } = (await region.readTogether(['a', 'b'])) ?? assert.fail();
    assert.equal(new TextDecoder().decode(values), '{"key":"a"},{"key":"b"}');
    new Uint8Array(values.buffer).fill(0);
  }
});

test('a value is cached at its second read, and then no longer read from the store', () => {
  const cache = new EntryCache();
  const keysRead: (readonly string[])[] = [];
  const read = (keys: readonly string[]): ReadValues => {
    keysRead.push(keys);
    return readValues(keys);
  };
  for (let time = 0; time < 4; time += 1) {
    assert.equal(textOf(cache.readTogether(1, ['x', 'y'], read)), '"x","y"');
  }
  assert.deepEqual(keysRead, [
    ['x', 'y'],
    ['x', 'y'],
  ]);
  cache.forget(1, 'x');
  assert.equal(textOf(cache.readTogether(1, ['y', 'x', 'y'], read)), '"y","x","y"');
  assert.deepEqual(keysRead.at(-1), ['x']);
  cache.forgetRegion(1);
  assert.equal(textOf(cache.readTogether(1, ['x', 'y'], read)), '"x","y"');
  assert.deepEqual(keysRead.at(-1), ['x', 'y']);
  assert.equal(textOf(cache.readTogether(2, ['x'], read)), '"x"');
  assert.deepEqual(keysRead.at(-1), ['x'], 'another region has separate entries');
});

test('reads of entries and of joined values have one cache', () => {
  const cache = new EntryCache();
  const keysRead: string[] = [];
  const readEntries = (keys: readonly string[]): readonly (StoredEntry | undefined)[] => {
    keysRead.push(...keys);
    return keys.map((key) => (key === 'absent' ? undefined : { value: `"${key}"`, version: 7 }));
  };
  const keys = ['a', 'b', 'absent', 'c', 'd'];
  const expected = readEntries(keys);
  keysRead.length = 0;
  for (let time = 0; time < 3; time += 1) {
    assert.deepEqual(cache.read(1, keys, readEntries), expected);
  }
  assert.deepEqual(keysRead, [...keys, ...keys, 'absent']);
  const together = cache.readTogether(1, ['d', 'a'], () => assert.fail('both are cached'));
  assert.equal(textOf(together), '"d","a"');
  assert.deepEqual(together?.versions, [7, 7]);
  cache.forget(1, 'b');
  keysRead.length = 0;
  assert.deepEqual(cache.read(1, keys, readEntries), expected);
  assert.deepEqual(keysRead, ['b', 'absent']);
});

test('fewer than five keys are read from the store', () => {
  const cache = new EntryCache();
  const keys = ['a', 'b', 'c', 'd'];
  let reads = 0;
  const read = (): readonly StoredEntry[] => {
    reads += 1;
    return keys.map((key) => ({ value: key, version: 1 }));
  };
  for (let time = 0; time < 3; time += 1) cache.read(1, keys, read);
  assert.equal(reads, 3);
});

test('the first keys of a read decide whether the others are looked up', () => {
  const cache = new EntryCache();
  let keysRead: readonly string[] = [];
  const read = (keys: readonly string[]): ReadValues => {
    keysRead = keys;
    return readValues(keys);
  };
  const keysReadFor = (keys: readonly string[]): readonly string[] => {
    keysRead = [];
    const texts = keys.map((key) => JSON.stringify(key));
    assert.equal(textOf(cache.readTogether(1, keys, read)), texts.join(','));
    return keysRead;
  };
  const cached = Array.from({ length: 20 }, (_, i) => `cached ${i}`);
  const others = Array.from({ length: 8 }, (_, i) => `other ${i}`);
  assert.deepEqual(
    [keysReadFor(cached), keysReadFor(cached), keysReadFor(cached)],
    [cached, cached, []],
  );
  assert.deepEqual(keysReadFor([...cached, ...others]), others);
  cache.forgetRegion(1);
  keysReadFor(cached);
  const mixed = [...others.map((key) => `${key}, new`), ...cached];
  assert.deepEqual(keysReadFor(mixed), mixed, 'though most of them are here');
});

test('a full cache evicts the oldest values, and caches them again when they are read', () => {
  const bytes = 4 * 2 ** 20;
  const cache = new EntryCache(bytes);
  const long = 'l'.repeat(LONGEST_VALUE - 100);
  let reads = 0;
  const read = (keys: readonly string[]): ReadValues => {
    reads += 1;
    return readValues(keys, long);
  };
  const readsOf = (key: string): number => {
    reads = 0;
    assert.equal(textOf(cache.readTogether(1, [key], read)), JSON.stringify(key + long));
    return reads;
  };
  const count = Math.floor((2 * bytes) / LONGEST_VALUE);
  for (let i = 0; i < count; i += 1) {
    readsOf(`k${i}`);
    readsOf(`k${i}`);
    assert.equal(readsOf(`k${i}`), 0);
  }
  assert.deepEqual([readsOf('k0'), readsOf('k0')], [1, 0]);
  assert.equal(readsOf(`k${count - 1}`), 0);
});

/** Each value is its key, followed by `more`. */
function readValues(keys: readonly string[], more = ''): ReadValues {
  const texts = keys.map((key) => JSON.stringify(key + more));
  const values = new TextEncoder().encode(texts.join(','));
  let end = -1;
  const ends = Uint32Array.from(texts, (text) => (end += text.length + 1));
  return { values, ends, versions: keys.map((_, i) => i) };
}

function textOf(together: { readonly values: Uint8Array } | undefined): string {
  return new TextDecoder().decode(together?.values);
}

async function change(
  engine: Engine,
  region: Region,
  { key, step, value }: { readonly key: string; readonly step: number; readonly value: string },
): Promise<void> {
  const put = { kind: 'put', key, value } as const;
  if (step === 0) await region.write([{ kind: 'remove', key }]);
  else if (step === 1) await engine.commit([{ region: 'r', changes: [put], guards: [] }]);
  else if (step === 2) {
    await region.clear();
    await region.write(KEYS.map((each) => ({ ...put, key: each })));
  } else await region.write([put]);
}

async function open(t: TestContext): Promise<{ readonly engine: Engine; readonly region: Region }> {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-cache-'));
  const engine = await openSqliteEngine({ directory, durability: 'relaxed' });
  t.after(async () => {
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await engine.createRegion(plainRegion('r'));
  return { engine, region: (await engine.openRegion('r')) ?? assert.fail() };
}
