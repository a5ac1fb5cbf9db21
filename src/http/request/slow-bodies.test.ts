import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SlowBodies } from './slow-bodies.ts';

/** Uses a clock that the test moves. */
function createBodies(
  t: TestContext,
  minBytesPerSecond: number,
): { bodies: SlowBodies; pass: (ms: number) => void } {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  const rules = { minBytesPerSecond, graceMs: 10_000, sweepMs: 1_000, now: () => now };
  return {
    bodies: new SlowBodies(rules),
    pass: (ms) => {
      for (let left = ms; left > 0; left -= 1_000) {
        now += 1_000;
        t.mock.timers.tick(1_000);
      }
    },
  };
}

test('a body is slow when its rate is too low after the grace period', (t) => {
  const { bodies, pass } = createBodies(t, 1_000);
  let slow = 0;
  const trickling = bodies.begin(() => {
    slow += 1;
  });
  const steady = bodies.begin(() => assert.fail('it is fast enough'));
  trickling.bytes = 9_999;
  steady.bytes = 10_000;
  pass(9_000);
  assert.equal(slow, 0);
  pass(1_000);
  assert.equal(slow, 1);
  bodies.end(steady);
  bodies.end(trickling);
  pass(20_000);
  assert.equal(slow, 1);
});

test('without a minimum rate no body is slow', (t) => {
  const { bodies, pass } = createBodies(t, 0);
  const reading = bodies.begin(() => assert.fail('there is no limit'));
  pass(60_000);
  bodies.end(reading);
});
