// Splits a run into time slices, so that a long query never blocks the event loop. Between slices
// it checks whether the run has to stop.

import { lowMemory, queryCancelled, queryTimeout } from '../errors.ts';
import type { RunContext, TimeSlice } from './run-context.ts';

/** A slice takes up to 2 ms, with the piece of work that begins within it. */
const SLICE_MS = 1.25;
/** The clock is read once in so many rows: often enough for rows that take a millisecond each. */
const ROWS_PER_READING = 4;

export class Pacer {
  readonly #context: RunContext;
  readonly #text: string;
  readonly #startedAt: number;
  readonly #slice: TimeSlice;
  #rows = 0;

  constructor(context: RunContext, queryText: string) {
    this.#context = context;
    this.#text = queryText;
    this.#slice = context.slice ?? { startedAt: context.now() };
    // The fallback to rows counts against the same time limit.
    this.#startedAt = context.startedAt ?? context.now();
  }

  /** Must be called at every yield point: true when the slice is over. */
  isDue(): boolean {
    this.#rows += 1;
    return this.#rows % ROWS_PER_READING === 0 && this.isSliceOver();
  }

  /** The same for rare yield points, as in builders of columns: the clock is always read. */
  isSliceOver(): boolean {
    return this.#context.now() - this.#slice.startedAt >= SLICE_MS;
  }

  /** The clock, for callers that measure their own work. */
  now(): number {
    return this.#context.now();
  }

  /** Yields to other requests, then begins the next slice. */
  async pause(): Promise<void> {
    await this.#context.pause();
    this.#slice.startedAt = this.#context.now();
    this.check();
  }

  /**
   * Must be called after every wait: throws when the run is out of time, cancelled or out of
   * memory. Waiting for data begins no new slice, because data may arrive before other requests
   * were served.
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
