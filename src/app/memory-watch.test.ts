import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryWatch, type WatchedMemory } from './memory-watch.ts';

/** Memory whose figures the test sets. */
interface FakeMemory extends WatchedMemory {
  clockMs: number;
  used: number;
  collections: number;
}

function fakeMemory(settings: Partial<WatchedMemory> = {}): FakeMemory {
  const memory: FakeMemory = {
    clockMs: 0,
    used: 0.5,
    collections: 0,
    now: () => memory.clockMs,
    share: () => memory.used,
    isContained: true,
    collect: () => {
      memory.collections += 1;
    },
    ...settings,
  };
  return memory;
}

test('memory is low when the heap is fuller than the percentage, and never when that is 0', () => {
  assert.equal(createMemoryWatch(0)(), false);
  assert.equal(createMemoryWatch(100)(), false);
  const watch = createMemoryWatch(Number.MIN_VALUE);
  assert.equal(watch(), true);
  assert.equal(watch(), true);
});

test('figures are cached for a while', () => {
  const memory = fakeMemory();
  const watch = createMemoryWatch(60, memory);
  assert.equal(watch(), false);
  memory.used = 0.7;
  assert.equal(watch(), false);
  memory.clockMs = 60;
  assert.equal(watch(), true);
});

test('garbage does not keep memory low', () => {
  const memory: FakeMemory = fakeMemory({
    collect: () => {
      memory.collections += 1;
      memory.used = 0.4;
    },
  });
  const watch = createMemoryWatch(60, memory);
  memory.used = 0.7;
  assert.equal(watch(), false);
  assert.equal(memory.collections, 1);
});

test('while memory is low garbage is collected at most once a second', () => {
  const memory = fakeMemory();
  const watch = createMemoryWatch(60, memory);
  memory.used = 0.7;
  for (; memory.clockMs < 3_000; memory.clockMs += 60) assert.equal(watch(), true);
  assert.equal(memory.collections, 3);
});

test('in a container memory is low before the system ends the process, also without a percentage', () => {
  for (const isContained of [true, false]) {
    const memory = fakeMemory({ isContained });
    const watch = createMemoryWatch(0, memory);
    memory.used = 0.89;
    assert.equal(watch(), false);
    memory.clockMs += 60;
    memory.used = 0.9;
    assert.equal(watch(), isContained);
  }
});
