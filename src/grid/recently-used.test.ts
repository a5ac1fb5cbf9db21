import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RecentlyUsed } from './recently-used.ts';

it('forgets what was not used for longest', () => {
  const cache = new RecentlyUsed<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  assert.equal(cache.get('a'), 1);
  cache.set('c', 3);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.get('a'), 1);
  assert.equal(cache.get('c'), 3);
});

it('replaces a value without forgetting another', () => {
  const cache = new RecentlyUsed<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  assert.equal(cache.get('a'), 3);
  assert.equal(cache.get('b'), 2);
});
