// When pending changes are applied in the background, with a clock that the test moves.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FollowedTable } from './followed-table.ts';
import { IdleApply, type IdleTime } from './idle-apply.ts';

const ROWS = 100_000;

/** Time passes only in delays, and with every look at the clock. */
class Clock implements IdleTime {
  busy = 0;
  #ms = 0;
  readonly #sleepers: { readonly untilMs: number; readonly wake: () => void }[] = [];

  now(): number {
    this.#ms += 0.025;
    return this.#ms;
  }

  delay(ms: number): Promise<void> {
    return new Promise((wake) => {
      this.#sleepers.push({ untilMs: this.#ms + ms, wake });
    });
  }

  busyMs(): number {
    return this.busy;
  }

  async pass(ms: number): Promise<void> {
    for (const end = this.#ms + ms; ; ) {
      const next = this.#sleepers.findIndex(({ untilMs }) => untilMs <= end);
      const [sleeper] = next < 0 ? [] : this.#sleepers.splice(next, 1);
      this.#ms = Math.max(this.#ms, sleeper?.untilMs ?? end);
      if (sleeper === undefined) return;
      sleeper.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

class Written {
  readonly clock = new Clock();
  readonly followed = new FollowedTable(() => 1e9);
  readonly #idle = new IdleApply(this.clock, 1);
  #sequence = 0;

  constructor() {
    const { table } = this.followed;
    table.addParts([[['n']]], [], 1);
    const keys = Array.from({ length: ROWS }, (_, row) => Buffer.from(keyOf(row)));
    const ends = Uint32Array.from(keys, (_, row) => row * 6 + 5);
    table.rows.appendAll({ bytes: Buffer.concat(keys.flatMap((key) => [key, SEPARATOR])), ends });
    this.followed.endLoad();
  }

  write(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      this.#sequence += 1;
      const key = keyOf((this.#sequence * 7919) % ROWS);
      this.followed.take({ kind: 'put', key, value: `{"n":${this.#sequence}}` }, this.#sequence);
    }
    this.#idle.watch(this.followed, () => assert.fail('the table is stale'));
  }
}

const SEPARATOR = Buffer.from('\n');

function keyOf(row: number): string {
  return String(row).padStart(5, '0');
}

describe('applying pending changes in the background', () => {
  it('begins when writers are idle, and goes on until none is pending', async () => {
    const written = new Written();
    const { clock, followed } = written;
    written.write(500);
    await clock.pass(50);
    assert.equal(followed.pendingCount, 500, 'more writes may follow');
    await clock.pass(1000);
    assert.equal(followed.pendingCount, 0);
  });

  it('does not take the time between two commits for idle time, even of a checkpoint', async () => {
    const written = new Written();
    const { clock, followed } = written;
    for (let commit = 1; commit <= 8; commit += 1) {
      written.write(1000);
      await clock.pass(200);
      assert.equal(followed.pendingCount, commit * 1000);
    }
  });

  it('leaves a few thousand changes while writers write, and applies whole sets of them', async () => {
    const written = new Written();
    const { clock, followed } = written;
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (let commit = 0; commit < 400; commit += 1) {
      written.write(100);
      clock.busy += 10;
      await clock.pass(10);
      if (commit > 100) least = Math.min(least, followed.pendingCount);
      most = Math.max(most, followed.pendingCount);
    }
    assert.ok(most >= 8192 && most < 10_240, `${most} changes`);
    assert.ok(least < 8192, `${least} changes`);
  });

  describe('with many pending changes', () => {
    /** Changes applied in 90 looks, in each of which writers take 4 ms. Each write has another key. */
    const appliedWhile = async (
      write: (written: Written, look: number) => void,
    ): Promise<number> => {
      const written = new Written();
      const { clock, followed } = written;
      for (let look = 0; look < 90; look += 1) {
        write(written, look);
        clock.busy += 4;
        await clock.pass(4);
      }
      return followed.received - followed.pendingCount;
    };

    it('applies them only if it can keep up with the writers', async () => {
      const few = await appliedWhile((written) => written.write(200));
      const many = await appliedWhile((written) => written.write(250));
      assert.ok(few > 1000, `${few} changes`);
      assert.equal(many, 0);
    });

    it('takes the looks between large commits together', async () => {
      const slow = await appliedWhile((written, look) => written.write(look % 5 === 0 ? 900 : 0));
      const fast = await appliedWhile((written, look) => written.write(look % 5 === 0 ? 1100 : 0));
      assert.ok(slow > 1000, `${slow} changes`);
      assert.equal(fast, 0);
    });
  });
});
