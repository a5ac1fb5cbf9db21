import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RefusalRateLimit } from './refusal-rate-limit.ts';

/** A clock that is moved by hand, and the times at which refusals were sent. */
class Refusals {
  readonly sentMs: number[] = [];
  #nowMs = 0;
  #timers: { readonly atMs: number; readonly resolve: () => void }[] = [];
  readonly #limit = new RefusalRateLimit({
    now: () => this.#nowMs,
    delay: (ms) => new Promise((resolve) => this.#timers.push({ atMs: this.#nowMs + ms, resolve })),
  });

  refuse(count: number): void {
    for (let at = 0; at < count; at += 1) {
      const turn = this.#limit.take();
      if (turn === undefined) this.sentMs.push(this.#nowMs);
      else void turn.then(() => this.sentMs.push(this.#nowMs));
    }
  }

  async advance(ms: number): Promise<void> {
    for (let step = 0; step < ms; step += 1) {
      this.#nowMs += 1;
      const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs);
      this.#timers = this.#timers.filter(({ atMs }) => atMs > this.#nowMs);
      for (const { resolve } of due) resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  sentBy(ms: number): number {
    return this.sentMs.filter((sentMs) => sentMs <= ms).length;
  }
}

describe('refusals', () => {
  it('are sent at once after a calm time', async () => {
    const refusals = new Refusals();
    refusals.refuse(100);
    assert.equal(refusals.sentBy(0), 100);
    await refusals.advance(50);
    refusals.refuse(60);
    assert.equal(refusals.sentBy(50), 150);
  });

  it('are sent at 1,000 a second if there are more, in order', async () => {
    const refusals = new Refusals();
    refusals.refuse(600);
    assert.equal(refusals.sentBy(0), 100);
    await refusals.advance(250);
    assert.equal(refusals.sentBy(250), 350);
    // One that comes later waits for the others.
    refusals.refuse(1);
    await refusals.advance(250);
    assert.equal(refusals.sentBy(500), 600);
    await refusals.advance(10);
    assert.equal(refusals.sentBy(510), 601);
  });

  it('wait for a second at most, evenly spread', async () => {
    const refusals = new Refusals();
    refusals.refuse(4100);
    await refusals.advance(500);
    assert.equal(refusals.sentMs.length, 100 + 2000);
    await refusals.advance(500);
    assert.equal(refusals.sentMs.length, 4100);
    // Then the rate is the usual one again.
    refusals.refuse(20);
    await refusals.advance(10);
    assert.equal(refusals.sentMs.length, 4110);
  });
});
