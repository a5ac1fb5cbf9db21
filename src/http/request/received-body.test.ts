import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detachBuffer } from '../../value/detach-buffer.ts';
import { ReceivedBody } from './received-body.ts';

const BYTES = 40 * 1024;

function piece(fill: number): Buffer {
  return Buffer.alloc(BYTES, fill);
}

test('pieces are joined, and their memory is freed', () => {
  for (const expected of [3 * BYTES, undefined, 10]) {
    const pieces = [1, 2, 3].map(piece);
    const whole = Buffer.concat(pieces);
    const body = new ReceivedBody(expected);
    for (const each of pieces) body.add(each);
    assert.deepEqual(body.take(), whole);
    assert.deepEqual(
      pieces.map((each) => each.length),
      [0, 0, 0],
    );
  }
});

test('a body in one piece is that piece', () => {
  const only = piece(7);
  const body = new ReceivedBody(BYTES);
  body.add(only);
  assert.equal(body.take().buffer, only.buffer);
  assert.equal(new ReceivedBody(undefined).take().length, 0);
});

test('shared memory is not freed', () => {
  const shared = piece(1);
  detachBuffer(shared.subarray(0, BYTES / 2));
  assert.equal(shared.length, BYTES);
  detachBuffer(shared);
  assert.equal(shared.length, 0);
});
