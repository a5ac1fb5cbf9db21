// Cuts a run into slices of time, so that a long query never blocks the event loop, and checks for
// reasons to stop between two slices.

import { lowMemory, queryCancelled, queryTimeout } from '../errors.ts';
import type { RunContext, Slice } from './run-context.ts';

/** With the piece of work that is begun within it, a slice takes up to 2 ms. */
const SLICE_MS = 1.25;
/** The clock is read once in so many rows: often enough for rows that take a millisecond each. */
const ROWS_PER_LOOK = 4;

export class Pacer {
  readonly #context: RunContext;
  readonly #text: string;
  readonly #startedAt: number;
  readonly #slice: Slice;
  #rows = 0;

  constructor(context: RunContext, queryText: string) {
    this.#context = context;
    this.#text = queryText;
    this.#slice = context.slice ?? { startedAt: context.now() };
    // A query may be run again in another way; its time goes on.
    this.#startedAt = context.startedAt ?? context.now();
  }

  /** To be asked at every yield point: true when the slice is used up. */
  isDue(): boolean {
    this.#rows += 1;
    if (this.#rows % ROWS_PER_LOOK !== 0) return false;
    return this.#context.now() - this.#slice.startedAt >= SLICE_MS;
  }

  /** The same for rare yield points: the clock is always read. */
  isSliceOver(): boolean {
    return this.#context.now() - this.#slice.startedAt >= SLICE_MS;
  }

  /** The clock, for callers that measure their own work. */
  now(): number {
    return this.#context.now();
  }

  /** Lets others run, then starts the next slice. */
  async pause(): Promise<void> {
    await this.#context.pause();
    this.#slice.startedAt = this.#context.now();
    this.check();
  }

  /**
   * To be asked after every wait: throws when the run is out of time, cancelled or out of memory.
   * Waiting for data starts no new slice: it may be there without anybody having had a turn.
   */
  check(): void {
    const { now, timeoutMs, signal, isMemoryLow } = this.#context;
    if (signal?.aborted === true) throw queryCancelled(this.#text);
    if (timeoutMs !== undefined && now() - this.#startedAt > timeoutMs) {
      throw queryTimeout(this.#text, timeoutMs);
    }
    if (isMemoryLow?.() === true) throw lowMemory(this.#text);
  }
}
