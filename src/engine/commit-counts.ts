// Counts the commits of this server, their sizes and their duration.

import type { EngineStats } from './engine-stats.ts';

type Counts = Pick<EngineStats, 'commits' | 'writes' | 'batchSizes' | 'commitSeconds'>;

export class CommitCounts {
  #commits = 0;
  #writes = 0;
  #seconds = 0;
  /** By powers of two, see `EngineStats`. */
  readonly #sizes: number[] = [];

  add(writes: number, seconds: number): void {
    this.#commits += 1;
    this.#writes += writes;
    this.#seconds += seconds;
    const bucket = 32 - Math.clz32(writes - 1);
    while (this.#sizes.length <= bucket) this.#sizes.push(0);
    this.#sizes[bucket] = (this.#sizes[bucket] ?? 0) + 1;
  }

  read(): Counts {
    return {
      commits: this.#commits,
      writes: this.#writes,
      batchSizes: [...this.#sizes],
      commitSeconds: this.#seconds,
    };
  }
}
