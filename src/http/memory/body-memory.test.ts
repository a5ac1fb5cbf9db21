import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { RequestHead } from '../request/request-head.ts';
import { BodyMemory } from './body-memory.ts';

/** A request as far as the memory looks at it. */
function announce(bytes?: number): IncomingMessage {
  const headers = bytes === undefined ? {} : { 'content-length': String(bytes) };
  return { headers } as IncomingMessage; // nothing else of it is read
}

test('bodies are let in up to the limit and not beyond', () => {
  const memory = new BodyMemory(100);
  const first = announce(60);
  assert.equal(memory.admit(first), true);
  assert.equal(memory.admit(announce(41)), false);
  assert.equal(memory.admit(announce(30)), true);
  // What was announced is there for it, however late it arrives.
  assert.equal(memory.hold(first, 20), true);
  assert.equal(memory.hold(first, 40), true);
});

test('a body that does not say its length is counted as it arrives', () => {
  const memory = new BodyMemory(100);
  memory.admit(announce(60));
  const unknown = announce();
  assert.equal(memory.admit(unknown), true);
  assert.equal(memory.hold(unknown, 30), true);
  assert.equal(memory.hold(unknown, 10), true);
  assert.equal(memory.hold(unknown, 1), false);
});

test('one body alone is let in whatever its size', () => {
  const memory = new BodyMemory(100);
  const large = announce(500);
  assert.equal(memory.admit(large), true);
  assert.equal(memory.hold(large, 300), true);
  assert.equal(memory.hold(large, 200), true);
  assert.equal(memory.admit(announce(1)), false);
});

test('what was answered makes room again', () => {
  const memory = new BodyMemory(100);
  const first = announce(100);
  memory.admit(first);
  assert.equal(memory.admit(announce(1)), false);
  memory.release(first);
  memory.release(first);
  assert.equal(memory.admit(announce(100)), true);
});

test('a large answer holds its room until its client has taken it, or is gone', () => {
  for (const event of ['drain', 'close']) {
    const memory = new BodyMemory(100);
    const socket = Object.assign(new EventEmitter(), { destroyed: false, writableLength: 80 });
    const slow = { ...announce(), socket } as unknown as RequestHead; // as far as it is looked at
    assert.equal(memory.holdAnswer(slow, 80), true);
    memory.releaseWhenTaken(slow);
    assert.equal(memory.holdAnswer(announce(), 30), false);
    socket.emit(event);
    assert.equal(memory.holdAnswer(announce(), 30), true);
    assert.deepEqual(socket.eventNames(), []);
  }
});
