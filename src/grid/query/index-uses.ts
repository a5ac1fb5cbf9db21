// How often queries used each index on this server, since it started or the index was made. Held in
// memory: a figure to judge an index by, not one to account with.

import type { CommittedChange } from '../../engine/engine.ts';
import type { IndexFacts } from '../../oql/index.ts';
import type { RegionIndexes } from './region-indexes.ts';

/** Moments are milliseconds since 1970. */
export interface IndexUse {
  readonly uses: number;
  readonly lastAt: number | undefined;
  /** From when on they were counted. */
  readonly since: number;
}

type UseRecord = { -readonly [Member in keyof IndexUse]: IndexUse[Member] };

export class IndexUses {
  readonly #wallClock: () => number;
  readonly #startedAt: number;
  /** By region and name. */
  readonly #records = new Map<string, UseRecord>();
  /** As plans know them. */
  readonly #planned = new WeakMap<IndexFacts, UseRecord>();

  constructor(wallClock: () => number) {
    this.#wallClock = wallClock;
    this.#startedAt = wallClock();
  }

  /** Those of a region that has none of that name are not counted, but begin now. */
  find(region: string, name: string): IndexUse {
    return this.#require(region, name);
  }

  /** Plans are made with these from now on. */
  learn(indexes: RegionIndexes): void {
    for (const [region, own] of indexes) {
      for (const { facts } of own) this.#planned.set(facts, this.#require(region, facts.name));
    }
  }

  count(index: IndexFacts): void {
    const record = this.#planned.get(index.whole ?? index);
    if (record === undefined) return;
    record.uses += 1;
    record.lastAt = this.#wallClock();
  }

  /** An index that is made anew begins at zero. */
  follow(change: CommittedChange): void {
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
    const known = this.#records.get(name);
    if (known !== undefined) return known;
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
