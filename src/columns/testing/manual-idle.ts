import type { IdleTime } from '../idle-apply.ts';

/** Idle time that the test controls. */
export class ManualIdle implements IdleTime {
  busy = 0;
  readonly #sleepers: (() => void)[] = [];
  #clock = 0;

  now(): number {
    // Every reading of the clock uses a part of a slice.
    this.#clock += 0.1;
    return this.#clock;
  }

  delay(): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.push(resolve);
    });
  }

  busyMs(): number {
    return this.busy;
  }

  /** Ends all pending delays. */
  async wake(): Promise<void> {
    for (const wake of this.#sleepers.splice(0)) wake();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Runs slices until no work is left; returns their number. */
  async pass(): Promise<number> {
    let slices = 0;
    for (; this.#sleepers.length > 0; slices += 1) await this.wake();
    return slices;
  }
}
