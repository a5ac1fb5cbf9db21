// A value that is found is the one that was added last, compared with a Map.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../value/testing/seeded-random.ts';
import { ABSENT, CachedValues, hashOf, LONGEST_KEY, LONGEST_VALUE } from './cached-values.ts';

const TWO_SEGMENTS = 2 * 2 ** 20;

class Cache {
  readonly values = new CachedValues(TWO_SEGMENTS);
  readonly #hash: typeof hashOf;

  constructor(hash: typeof hashOf = hashOf) {
    this.#hash = hash;
  }

  add(region: number, key: string, value: string, version = 1): void {
    const hash = this.#hash(region, key);
    this.values.add({ region, key, hash, version }, Buffer.byteLength(value), (to, at) =>
      to.write(value, at),
    );
  }

  remove(region: number, key: string): void {
    this.values.remove(region, key, this.#hash(region, key));
  }

  /** The value and its version, read in both ways. */
  find(region: number, key: string): readonly [value: string, version: number] | undefined {
    const at = this.values.find(region, key, this.#hash(region, key));
    if (at === ABSENT) return undefined;
    const bytes = Buffer.alloc(this.values.bytesAt(at) + 1);
    assert.equal(this.values.copyTo(bytes, 1, at), bytes.length - 1);
    assert.equal(bytes.toString('utf8', 1), this.values.textAt(at));
    return [this.values.textAt(at), this.values.versionAt(at)];
  }
}

test('a value that is found is the last one of its region and key, also after many others', () => {
  const cache = new Cache();
  const last = new Map<string, readonly [value: string, version: number]>();
  const random = createRandom(7);
  let found = 0;
  let evicted = 0;
  for (let step = 0; step < 20_000; step += 1) {
    const region = 1 + random(2);
    const key = KEYS[random(KEYS.length)] ?? '';
    const name = `${region} ${key}`;
    const kind = random(10);
    if (kind === 0) {
      cache.remove(region, key);
      last.delete(name);
    } else if (kind < 5 && cache.find(region, key) === undefined) {
      const value = `"${step}${'ü'.repeat(random(random(2) === 0 ? 20 : 4000))}"`;
      const version = step * 2 ** 20;
      cache.add(region, key, value, version);
      last.set(name, [value, version]);
      assert.deepEqual(cache.find(region, key), last.get(name));
    } else {
      const value = cache.find(region, key);
      if (value === undefined) evicted += last.has(name) ? 1 : 0;
      else {
        assert.deepEqual(value, last.get(name));
        found += 1;
      }
    }
  }
  assert.ok(found > 1000, `${found} found`);
  assert.ok(evicted > 100, `${evicted} evicted`);
});

test('as many values as there is room for are found', () => {
  const cache = new Cache();
  const keys = Array.from({ length: 4000 }, (_, i) => `order-${i}`);
  for (const key of keys) cache.add(1, key, `"${key}${'x'.repeat(300)}"`);
  const found = keys.filter((key) => cache.find(1, key) !== undefined);
  assert.ok(found.length > 3950, `${found.length} of 4000`);
});

test('eight values of one hash are found', () => {
  const cache = new Cache(() => 5);
  const keys = Array.from({ length: 8 }, (_, i) => `k${i}`);
  for (const key of keys) cache.add(1, key, `"${key}"`);
  for (const key of keys) assert.deepEqual(cache.find(1, key), [`"${key}"`, 1]);
  cache.add(1, 'k8', '"k8"');
  assert.deepEqual(cache.find(1, 'k8'), ['"k8"', 1]);
  assert.equal(keys.filter((key) => cache.find(1, key) !== undefined).length, 7);
  cache.remove(1, 'k8');
  assert.equal(cache.find(1, 'k8'), undefined);
  assert.equal(cache.find(2, 'k0'), undefined, 'of another region');
});

test('what is too long is not cached', () => {
  const cache = new Cache();
  for (const [key, value] of [
    ['k'.repeat(LONGEST_KEY), 'v'.repeat(LONGEST_VALUE)],
    ['', ''],
  ] as const) {
    cache.add(1, key, value);
    assert.deepEqual(cache.find(1, key), [value, 1]);
  }
  cache.add(1, 'k'.repeat(LONGEST_KEY + 1), '1');
  cache.add(1, 'k', 'v'.repeat(LONGEST_VALUE + 1));
  assert.equal(cache.find(1, 'k'.repeat(LONGEST_KEY + 1)), undefined);
  assert.equal(cache.find(1, 'k'), undefined);
});

const KEYS = Array.from({ length: 1000 }, (_, i) =>
  i % 10 === 0 ? `ключ 😀 ${i}`.repeat(1 + (i % 7)) : `order-${i}`,
);
