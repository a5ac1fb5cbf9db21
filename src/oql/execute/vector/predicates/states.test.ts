import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { combineDecided, countDecided, listDecided, NO, YES } from './states.ts';

/** States at any offset of a buffer, aligned to a word or not. */
const decided = fc
  .tuple(fc.array(fc.constantFrom(0, 1), { maxLength: 3000 }), fc.integer({ min: 0, max: 4 }))
  .map(([states, offset]) => {
    const bytes = new Uint8Array(offset + states.length + 3).fill(1);
    bytes.set(states, offset);
    return { states, bytes: bytes.subarray(offset) };
  });

describe('decided states', () => {
  it('are counted and listed like with a plain loop', () => {
    fc.assert(
      fc.property(decided, ({ states, bytes }) => {
        const rows = states.flatMap((state, row) => (state === 1 ? [row] : []));
        assert.equal(countDecided(bytes, states.length), rows.length);
        assert.deepEqual([...listDecided(bytes, states.length, rows.length)], rows);
      }),
    );
  });

  it('are combined row by row, within their bounds', () => {
    fc.assert(
      fc.property(decided, decided, (left, right) => {
        const size = Math.min(left.states.length, right.states.length);
        const and = left.bytes.slice();
        combineDecided(and, right.bytes, size, NO);
        const or = left.bytes.slice();
        combineDecided(or, right.bytes, size, YES);
        for (let row = 0; row < left.bytes.length; row += 1) {
          const a = left.bytes[row] ?? 0;
          const b = right.bytes[row] ?? 0;
          assert.equal(and[row], row < size ? a & b : a);
          assert.equal(or[row], row < size ? a | b : a);
        }
      }),
    );
  });
});
