import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ActiveStreams } from './active-streams.ts';

test('streams are admitted up to the total limit and up to that of their client', () => {
  const streams = new ActiveStreams({ maxStreams: 3, maxStreamsPerClient: 2 });
  assert.deepEqual(
    [streams.begin('a'), streams.begin('a'), streams.begin('a')],
    [true, true, false],
  );
  assert.deepEqual([streams.begin('b'), streams.begin('b')], [true, false]);
  assert.equal(streams.count, 3);
});

test('a stream that ends frees its permit, for its client too', () => {
  const streams = new ActiveStreams({ maxStreams: 2, maxStreamsPerClient: 1 });
  assert.equal(streams.begin('a'), true);
  assert.equal(streams.begin('a'), false);
  streams.end('a');
  assert.equal(streams.count, 0);
  assert.equal(streams.begin('a'), true);
  assert.equal(streams.begin('b'), true);
  assert.equal(streams.begin('c'), false);
});
