// Counts how often queries on this server used each index, since it started or the index was
// created. Held in memory: an estimate of usefulness, not exact accounting.

import type { CommittedChange } from '../../engine/engine.ts';
import type { IndexFacts } from '../../oql/index.ts';
import type { RegionIndexes } from './region-indexes.ts';

/** Moments are milliseconds since 1970. */
export interface IndexUsage {
  readonly uses: number;
  readonly lastAt: number | undefined;
  /** Start of the count. */
  readonly since: number;
}

type UseRecord = { -readonly [Member in keyof IndexUsage]: IndexUsage[Member] };

export class IndexUses {
  readonly #wallClock: () => number;
  readonly #startedAt: number;
  /** By region and name. */
  readonly #records = new Map<string, UseRecord>();
  /** By the facts of the index that a plan holds. */
  readonly #planned = new WeakMap<IndexFacts, UseRecord>();

  constructor(wallClock: () => number) {
    this.#wallClock = wallClock;
    this.#startedAt = wallClock();
  }

  /** An unknown index has a count of zero that starts now. */
  find(region: string, name: string): IndexUsage {
    return this.#require(region, name);
  }

  /** Call it with new facts of indexes before plans use them. */
  register(indexes: RegionIndexes): void {
    for (const [region, regionIndexes] of indexes) {
      for (const { facts } of regionIndexes)
        this.#planned.set(facts, this.#require(region, facts.name));
    }
  }

  count(index: IndexFacts): void {
    const record = this.#planned.get(index.whole ?? index);
    if (record === undefined) return;
    record.uses += 1;
    record.lastAt = this.#wallClock();
  }

  /** A recreated index starts at zero. */
  apply(change: CommittedChange): void {
    if (change.kind === 'destroy-region') {
      for (const name of this.#records.keys()) {
        if (name.startsWith(`${change.region}/`)) this.#records.delete(name);
      }
    } else if (change.kind === 'add-index' || change.kind === 'drop-index') {
      const name = nameOf(change.region, change.index);
      this.#records.delete(name);
      if (change.kind === 'add-index') this.#records.set(name, recordSince(this.#wallClock()));
    }
  }

  #require(region: string, index: string): UseRecord {
    const name = nameOf(region, index);
    const existing = this.#records.get(name);
    if (existing !== undefined) return existing;
    const record = recordSince(this.#startedAt);
    this.#records.set(name, record);
    return record;
  }
}

function recordSince(since: number): UseRecord {
  return { uses: 0, lastAt: undefined, since };
}

/** No region has a slash in its name. */
function nameOf(region: string, index: string): string {
  return `${region}/${index}`;
}
