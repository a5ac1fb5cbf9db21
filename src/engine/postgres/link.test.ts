import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from './link.ts';

describe('the time limit of a use', () => {
  it('ends work that takes longer', async () => {
    const late = delay(5000, 'answer', { ref: false });
    await assert.rejects(within(20, late), { code: 'engine/unreachable' });
  });

  it('begins again in a process that was paused, which has not read its answers yet', async () => {
    const answer = within(20, delay(30, 'answer'));
    // Nothing runs meanwhile; afterwards both timers are due, the limit first.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    assert.equal(await answer, 'answer');
  });
});
