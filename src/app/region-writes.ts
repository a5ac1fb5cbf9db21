// Counts the changes of every region since the start, from the commits of the
// engine: those of all servers over one store, in the order they are heard.

import type { Commit, Engine } from '../engine/engine.ts';
import { isRecordsRegion } from '../grid/index.ts';

export class RegionWrites {
  readonly #counts = new Map<string, number>();
  readonly #unsubscribe: () => void;

  constructor(engine: Engine) {
    this.#unsubscribe = engine.subscribe({
      onCommit: (commit) => this.#count(commit),
      // The missed writes are unknown; a counter only misses them.
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
      // Written with the entries of other regions, which count.
      if (isRecordsRegion(region)) continue;
      if (kind === 'destroy-region') this.#counts.delete(region);
      else this.#counts.set(region, (this.#counts.get(region) ?? 0) + 1);
    }
  }
}
