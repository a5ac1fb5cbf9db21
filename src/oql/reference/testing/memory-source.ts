// Regions as lists of entries, for tests of the executors.

import type { RegionType } from '../../../value/region-words.ts';
import type { Catalog } from '../../bind/catalog.ts';
import type { QuerySource, SourceEntry } from '../query-source.ts';

export interface MemoryRegion {
  readonly type?: RegionType;
  /** Member names of its values, for a region with a value constraint. */
  readonly valueMembers?: readonly string[];
  readonly entries: readonly SourceEntry[];
}

export type MemoryRegions = Readonly<Record<string, MemoryRegion>>;

/** Small, so that scans in tests have several batches. */
const BATCH = 3;

/** Counts reads, so that tests can distinguish an early end from a full scan. */
export class MemorySource implements QuerySource {
  readonly #regions: ReadonlyMap<string, MemoryRegion>;
  entriesRead = 0;
  readersOpen = 0;

  constructor(regions: MemoryRegions) {
    this.#regions = new Map(Object.entries(regions));
  }

  async findRegion(name: string): ReturnType<QuerySource['findRegion']> {
    const region = this.#regions.get(name);
    if (region === undefined) return undefined;
    return {
      type: region.type ?? 'REPLICATE',
      size: region.entries.length,
      entries: (after) =>
        this.#read(region.entries.filter(({ key }) => after === undefined || key > after)),
      get: async (key) => region.entries.find((entry) => entry.key === key)?.value,
    };
  }

  async *#read(entries: readonly SourceEntry[]): AsyncGenerator<readonly SourceEntry[]> {
    this.readersOpen += 1;
    try {
      for (let start = 0; start < entries.length; start += BATCH) {
        const batch = entries.slice(start, start + BATCH);
        this.entriesRead += batch.length;
        yield batch;
      }
    } finally {
      this.readersOpen -= 1;
    }
  }
}

export function createCatalog(regions: MemoryRegions): Catalog {
  const byName = new Map(Object.entries(regions));
  return {
    findRegion: (name) => {
      const region = byName.get(name);
      return region && { type: region.type ?? 'REPLICATE', valueMembers: region.valueMembers };
    },
    regionNames: () => byName.keys(),
    findTypeMembers: () => undefined,
  };
}

/** `{"a": {…}}` as the entries of a region, key by key. */
export function toEntries(values: Readonly<Record<string, unknown>>): readonly SourceEntry[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: JSON.stringify(value) }));
}
