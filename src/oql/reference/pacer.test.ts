import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Pacer } from './pacer.ts';
import type { RunContext } from './run-context.ts';

describe('the stages of a run', () => {
  const run = (slice?: RunContext['slice']): { context: RunContext; clock: { ms: number } } => {
    const clock = { ms: 0 };
    const pause = async (): Promise<void> => undefined;
    const context = { parameters: [], now: () => clock.ms, pause, ...(slice && { slice }) };
    return { context, clock };
  };

  it('share one slice, whichever stage begins it and yields', async () => {
    const { context, clock } = run({ startedAt: 0 });
    const opening = new Pacer(context, '');
    clock.ms = 1;
    const running = new Pacer(context, '');
    assert.equal(running.isSliceOver(), false);
    clock.ms = 2;
    assert.equal(running.isSliceOver(), true);
    await opening.pause();
    assert.equal(running.isSliceOver(), false);
  });

  it('have separate slices where the run has none', () => {
    const { context, clock } = run();
    const opening = new Pacer(context, '');
    clock.ms = 2;
    assert.equal(opening.isSliceOver(), true);
    assert.equal(new Pacer(context, '').isSliceOver(), false);
  });
});
