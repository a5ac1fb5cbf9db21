import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLinearizable, type Operation, type Recorded } from './linearizability.ts';

const write = (value: number): Operation => ({ kind: 'write', value });
const read = (found?: number): Operation => ({ kind: 'read', found });
const swap = (from: number, to: number, swapped: boolean): Operation => ({
  kind: 'swap',
  from,
  to,
  swapped,
});

/** Each operation with the time of its call and, unless it stayed open, its answer. */
function history(...items: readonly (readonly [Operation, number, number?])[]): Recorded[] {
  return items.map(([operation, called, answered]) =>
    answered === undefined ? { operation, called } : { operation, called, answered },
  );
}

const RIGHT: Readonly<Record<string, readonly Recorded[]>> = {
  'consecutive operations': history([write(1), 0, 1], [read(1), 2, 3]),
  'nothing at first': history([read(), 0, 1], [write(1), 2, 3]),
  'a read during a write sees the old value': history([write(1), 0, 3], [read(), 1, 2]),
  'a read during a write sees the new value': history([write(1), 0, 3], [read(1), 1, 2]),
  'two concurrent writes, in either order': history(
    [write(1), 0, 5],
    [write(2), 1, 4],
    [read(1), 6, 7],
  ),
  'an open write that is seen later': history([write(1), 0], [read(), 1, 2], [read(1), 3, 4]),
  'an open write that is never seen': history([write(1), 0], [read(), 1, 2]),
  'a swap that failed correctly': history(
    [write(1), 0, 1],
    [swap(2, 3, false), 2, 3],
    [read(1), 4, 5],
  ),
};

const WRONG: Readonly<Record<string, readonly Recorded[]>> = {
  'a read of an old value': history([write(1), 0, 1], [write(2), 2, 3], [read(1), 4, 5]),
  'a lost write': history([write(1), 0, 1], [read(), 2, 3]),
  'a value that was never written': history([write(1), 0, 1], [read(7), 2, 3]),
  'an older value in the second of two reads': history(
    [write(1), 0, 9],
    [read(1), 1, 2],
    [read(), 3, 4],
  ),
  'an open write that is visible once and then not': history(
    [write(1), 0],
    [read(1), 1, 2],
    [read(), 3, 4],
  ),
  'two swaps of one value': history(
    [write(1), 0, 1],
    [swap(1, 2, true), 2, 5],
    [swap(1, 3, true), 3, 4],
  ),
};

for (const [name, recorded] of Object.entries(RIGHT)) {
  test(`accepts ${name} as linearizable`, () => assert.equal(isLinearizable(recorded), true));
}

for (const [name, recorded] of Object.entries(WRONG)) {
  test(`detects ${name}`, () => assert.equal(isLinearizable(recorded), false));
}
