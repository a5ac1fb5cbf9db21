import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonTextError } from '../../value/json-text.ts';
import { LargeBodies } from './large-bodies.ts';

const LIMITS = { maxDepth: 200 };

/** Each reading of the clock advances it by a millisecond. */
function countingBodies(): { readonly bodies: LargeBodies; readonly pauses: () => number } {
  let time = 0;
  let pauses = 0;
  const bodies = new LargeBodies({
    now: () => {
      time += 1;
      return time;
    },
    pause: async () => {
      pauses += 1;
    },
  });
  return { bodies, pauses: () => pauses };
}

function body(elements: number, separator = ','): Buffer {
  return Buffer.from(
    `[${Array.from({ length: elements }, (_, i) => `{"i":${i}}`).join(separator)}]`,
  );
}

test('a large body is checked in slices, with a pause after each', async () => {
  const { bodies, pauses } = countingBodies();
  const large = body(50_000);
  assert.equal(await bodies.check(large, LIMITS), large);
  assert.ok(pauses() > 10, `${pauses()} pauses`);
});

test('white space is dropped across slices', async () => {
  const { bodies } = countingBodies();
  const compact = await bodies.check(body(50_000, ' ,\n '), LIMITS);
  assert.ok(body(50_000).equals(compact));
});

test('the shortest body goes first, and all are finished', async () => {
  const { bodies } = countingBodies();
  const done: number[] = [];
  const sizes = [60_000, 20_000, 40_000, 100];
  await Promise.all(
    sizes.map(async (size) => {
      await bodies.check(body(size), LIMITS);
      done.push(size);
    }),
  );
  assert.deepEqual(done, [100, 20_000, 40_000, 60_000]);
});

test('an invalid body does not affect others', async () => {
  const { bodies } = countingBodies();
  const broken = Buffer.concat([body(50_000), Buffer.from(']')]);
  const [good, bad] = await Promise.allSettled([
    bodies.check(body(50_000), LIMITS),
    bodies.check(broken, LIMITS),
  ]);
  assert.equal(good.status, 'fulfilled');
  assert.ok(bad.status === 'rejected' && bad.reason instanceof JsonTextError);
  assert.equal(bad.reason.offset, broken.length - 1);
  assert.equal((await bodies.check(Buffer.from('{}'), LIMITS)).length, 2);
});
