import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { RequestError } from '../errors.ts';
import { BodyMemory } from './body-memory.ts';

/** A request as far as the memory looks at it. */
function announce(bytes?: number): IncomingMessage {
  const headers = bytes === undefined ? {} : { 'content-length': String(bytes) };
  return { headers } as IncomingMessage; // nothing else of it is read
}

const isOverloaded = (error: unknown): boolean =>
  error instanceof RequestError && error.code === 'request/overloaded';

test('bodies are let in up to the limit and not beyond', () => {
  const memory = new BodyMemory(100);
  const first = announce(60);
  memory.admit(first);
  assert.equal(memory.hold(first, 60), true);
  memory.admit(announce(39));
  memory.admit(announce(40));
  assert.throws(() => memory.admit(announce(41)), isOverloaded);
  assert.equal(memory.hold(announce(), 41), false);
  assert.equal(memory.hold(announce(), 40), true);
});

test('one body alone is let in whatever its size', () => {
  const memory = new BodyMemory(100);
  const large = announce(500);
  memory.admit(large);
  assert.equal(memory.hold(large, 300), true);
  assert.equal(memory.hold(large, 200), true);
});

test('what was answered makes room again', () => {
  const memory = new BodyMemory(100);
  const first = announce(100);
  memory.hold(first, 100);
  assert.throws(() => memory.admit(announce(1)), isOverloaded);
  memory.release(first);
  memory.release(first);
  memory.admit(announce(100));
  assert.equal(memory.hold(announce(), 100), true);
});
