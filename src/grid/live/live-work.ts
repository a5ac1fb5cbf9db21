// Schedules the work of live queries, after the event loop turn of the commit that caused it.
// Changed entries are evaluated one source after another. Runs have a few slots of their own, so
// that a slow one delays neither other runs nor the evaluation of entries.

import { SLICE_MS } from './live-runs.ts';
import type { LiveSource } from './live-source.ts';

/** Live queries that run at once. */
const RUNS_AT_ONCE = 4;

export class LiveWork {
  readonly #now: () => number;
  readonly #pause: () => Promise<void>;
  readonly #onDone: (source: LiveSource) => void;
  readonly #toEvaluate = new Set<LiveSource>();
  #isEvaluating = false;
  readonly #toRun = new Set<LiveSource>();
  #running = 0;
  #isStarting = false;
  readonly #timers = new Map<LiveSource, ReturnType<typeof setTimeout>>();

  /** `onDone` is called for each source that did some work. */
  constructor(now: () => number, pause: () => Promise<void>, onDone: (source: LiveSource) => void) {
    this.#now = now;
    this.#pause = pause;
    this.#onDone = onDone;
  }

  /** Call it whenever a source may have work. */
  schedule(source: LiveSource): void {
    const due = source.due();
    if (due === undefined) return;
    if (due.kind === 'evaluate-changes') {
      this.#toEvaluate.add(source);
      if (!this.#isEvaluating) void this.#evaluateAll();
      return;
    }
    if (this.#timers.has(source) || this.#toRun.has(source)) return;
    const waitMs = due.atMs - this.#now();
    if (waitMs > 0) {
      const timer = setTimeout(() => {
        this.#timers.delete(source);
        // A new consumer may have started a run meanwhile.
        this.schedule(source);
      }, waitMs);
      this.#timers.set(source, timer);
      return;
    }
    this.#toRun.add(source);
    void this.#startRuns();
  }

  forget(source: LiveSource): void {
    clearTimeout(this.#timers.get(source));
    this.#timers.delete(source);
    this.#toRun.delete(source);
    this.#toEvaluate.delete(source);
  }

  async #startRuns(): Promise<void> {
    if (this.#isStarting || this.#toRun.size === 0) return;
    this.#isStarting = true;
    // After the turn of the commit: work started by it may continue in the same turn.
    await this.#pause();
    this.#isStarting = false;
    while (this.#running < RUNS_AT_ONCE) {
      const [next] = this.#toRun;
      if (next === undefined) return;
      this.#toRun.delete(next);
      void this.#run(next);
    }
  }

  async #run(source: LiveSource): Promise<void> {
    if (source.due()?.kind !== 'run') return;
    this.#running += 1;
    await source.run();
    this.#running -= 1;
    this.#done(source);
    void this.#startRuns();
  }

  async #evaluateAll(): Promise<void> {
    this.#isEvaluating = true;
    // After the turn of the commit, whose writer is answered first.
    await this.#pause();
    let sliceStartMs = this.#now();
    for (const source of this.#toEvaluate) {
      this.#toEvaluate.delete(source);
      if (source.due()?.kind === 'evaluate-changes') await source.evaluateChanges();
      this.#done(source);
      if (this.#now() - sliceStartMs < SLICE_MS) continue;
      await this.#pause();
      sliceStartMs = this.#now();
    }
    this.#isEvaluating = false;
  }

  #done(source: LiveSource): void {
    this.#onDone(source);
    this.schedule(source);
  }
}
