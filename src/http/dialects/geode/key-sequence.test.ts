import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeySequence } from './key-sequence.ts';

test('keys count from 1, and skip existing keys in few steps', () => {
  const sequence = new KeySequence();
  assert.deepEqual([sequence.next(false), sequence.next(false)], ['1', '2']);
  const taken = 1_000_000;
  let key = Number(sequence.next(false));
  let steps = 0;
  while (key <= taken) {
    key = Number(sequence.next(true));
    steps += 1;
  }
  assert.ok(steps <= 20, `${steps} steps`);
  assert.equal(sequence.next(false), String(key + 1));
});
