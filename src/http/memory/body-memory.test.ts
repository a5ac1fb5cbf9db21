import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { RequestHead } from '../request/request-head.ts';
import { BodyMemory } from './body-memory.ts';

/** A request with the header that BodyMemory reads. */
function announce(bytes?: number): IncomingMessage {
  const headers = bytes === undefined ? {} : { 'content-length': String(bytes) };
  return { headers } as IncomingMessage; // nothing else of it is read
}

test('bodies are admitted up to the limit', () => {
  const memory = new BodyMemory(100);
  const first = announce(60);
  assert.equal(memory.admit(first), true);
  assert.equal(memory.admit(announce(41)), false);
  assert.equal(memory.admit(announce(30)), true);
  // The announced memory is reserved for it, however late it arrives.
  assert.equal(memory.hold(first, 20), true);
  assert.equal(memory.hold(first, 40), true);
});

test('a body without a length is counted as it arrives', () => {
  const memory = new BodyMemory(100);
  memory.admit(announce(60));
  const unknown = announce();
  assert.equal(memory.admit(unknown), true);
  assert.equal(memory.hold(unknown, 30), true);
  assert.equal(memory.hold(unknown, 10), true);
  assert.equal(memory.hold(unknown, 1), false);
});

test('a single body is admitted whatever its size', () => {
  const memory = new BodyMemory(100);
  const large = announce(500);
  assert.equal(memory.admit(large), true);
  assert.equal(memory.hold(large, 300), true);
  assert.equal(memory.hold(large, 200), true);
  assert.equal(memory.admit(announce(1)), false);
});

test('an answered request frees its memory', () => {
  const memory = new BodyMemory(100);
  const first = announce(100);
  memory.admit(first);
  assert.equal(memory.admit(announce(1)), false);
  memory.release(first);
  memory.release(first);
  assert.equal(memory.admit(announce(100)), true);
});

test('a large answer holds its memory until its client has read it or disconnects', () => {
  for (const event of ['drain', 'close']) {
    const memory = new BodyMemory(100);
    const socket = Object.assign(new EventEmitter(), { destroyed: false, writableLength: 80 });
    const slow = { ...announce(), socket } as unknown as RequestHead; // with all members that are read
    assert.equal(memory.holdAnswer(slow, 80), true);
    memory.releaseWhenDrained(slow);
    assert.equal(memory.holdAnswer(announce(), 30), false);
    socket.emit(event);
    assert.equal(memory.holdAnswer(announce(), 30), true);
    assert.deepEqual(socket.eventNames(), []);
  }
});
