// Counts the changes of every region since the start, from the commits of the engine: those of all
// servers of the store, in the order they are received.

import type { Commit, Engine } from '../engine/engine.ts';
import { isRecordsRegion } from '../grid/index.ts';

export class RegionWrites {
  readonly #counts = new Map<string, number>();
  readonly #unsubscribe: () => void;

  constructor(engine: Engine) {
    this.#unsubscribe = engine.subscribe({
      onCommit: (commit) => this.#count(commit),
      // The number of missed writes is unknown, so the counter omits them.
      onReset: () => undefined,
    });
  }

  list(): readonly { readonly region: string; readonly writes: number }[] {
    return [...this.#counts].map(([region, writes]) => ({ region, writes }));
  }

  close(): void {
    this.#unsubscribe();
  }

  #count({ changes }: Commit): void {
    for (const { kind, region } of changes) {
      // Records are written with entries of other regions, which are counted.
      if (isRecordsRegion(region)) continue;
      if (kind === 'destroy-region') this.#counts.delete(region);
      else this.#counts.set(region, (this.#counts.get(region) ?? 0) + 1);
    }
  }
}
