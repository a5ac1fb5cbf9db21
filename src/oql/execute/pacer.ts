// Cuts a run into slices of time, so that a long query never holds the event loop, and looks at
// the reasons to stop between two slices.

import { lowMemory, queryCancelled, queryTimeout } from '../errors.ts';
import type { RunContext } from './run-context.ts';

const SLICE_MS = 1.5;
/** The clock is read once in so many rows. */
const ROWS_PER_LOOK = 16;

export class Pacer {
  readonly #context: RunContext;
  readonly #text: string;
  readonly #startedAt: number;
  #sliceStartedAt: number;
  #rows = 0;

  constructor(context: RunContext, queryText: string) {
    this.#context = context;
    this.#text = queryText;
    this.#startedAt = context.now();
    this.#sliceStartedAt = this.#startedAt;
  }

  /** To be asked at every border between rows: true when the slice is used up. */
  isDue(): boolean {
    this.#rows += 1;
    if (this.#rows % ROWS_PER_LOOK !== 0) return false;
    return this.#context.now() - this.#sliceStartedAt >= SLICE_MS;
  }

  /** Lets others run, then checks whether to go on. */
  async pause(): Promise<void> {
    await this.#context.pause();
    this.resume();
  }

  /** Starts the next slice, or throws when the run is out of time, cancelled or out of memory. */
  resume(): void {
    const { now, timeoutMs, signal, isMemoryLow } = this.#context;
    this.#sliceStartedAt = now();
    if (signal?.aborted === true) throw queryCancelled(this.#text);
    if (timeoutMs !== undefined && this.#sliceStartedAt - this.#startedAt > timeoutMs) {
      throw queryTimeout(this.#text, timeoutMs);
    }
    if (isMemoryLow?.() === true) throw lowMemory(this.#text);
  }
}
