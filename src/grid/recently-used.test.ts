import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RecentlyUsed } from './recently-used.ts';

it('drops the least recently used element', () => {
  const cache = new RecentlyUsed<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  assert.equal(cache.get('a'), 1);
  cache.set('c', 3);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.get('a'), 1);
  assert.equal(cache.get('c'), 3);
});

it('replaces a value without dropping another', () => {
  const cache = new RecentlyUsed<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  assert.equal(cache.get('a'), 3);
  assert.equal(cache.get('b'), 2);
});

it('bounds the total length of keys, but always keeps the newest', () => {
  const cache = new RecentlyUsed<number>(100, 10);
  cache.set('aaaa', 1);
  cache.set('bbbb', 2);
  cache.set('cccc', 3);
  assert.equal(cache.get('aaaa'), undefined);
  assert.equal(cache.get('bbbb'), 2);
  cache.set('d'.repeat(20), 4);
  assert.equal(cache.get('cccc'), undefined);
  assert.equal(cache.get('d'.repeat(20)), 4);
  cache.set('e', 5);
  assert.equal(cache.get('d'.repeat(20)), undefined);
  assert.equal(cache.get('e'), 5);
});
