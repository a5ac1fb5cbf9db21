import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DueKeys } from './due-keys.ts';

describe('keys by the time when they are due', () => {
  it('are returned once each, soon after they are due and never before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 }),
        fc.array(fc.integer({ min: 0, max: 6000 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 30 }),
        (dues, moments, limit) => {
          const keys = new DueKeys();
          for (const [i, due] of dues.entries()) keys.add(String(i), due);
          const returned = new Set<string>();
          for (const now of [...moments.sort((a, b) => a - b), 10_000]) {
            for (;;) {
              const batch = keys.take(now, limit);
              assert.ok(batch.length <= limit);
              for (const key of batch) {
                assert.ok(!returned.has(key), 'once');
                assert.ok((dues[Number(key)] ?? 0) <= now, 'not early');
                returned.add(key);
              }
              if (batch.length === 0) break;
            }
            const late = dues.filter((due, i) => due + 50 <= now && !returned.has(String(i)));
            assert.deepEqual(late, [], 'soon');
            assert.equal(keys.size, dues.length - returned.size);
          }
          assert.equal(keys.nextMs, undefined);
        },
      ),
    );
  });
});
