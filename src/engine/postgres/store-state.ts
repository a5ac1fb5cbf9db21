// A server's copy of the store's state: the regions, their sizes, and the latest commit received.
// Each row of the log advances it.

import { describeRegions } from '../describe-regions.ts';
import type { RegionDefinition, RegionDescription } from '../engine.ts';
import type { IndexDefinition } from '../index-definition.ts';
import type { LogRow } from './change-log.ts';

export interface RegionState {
  /** The commit that created it; never used twice. */
  readonly id: number;
  /** Identifies its entries: `id`, or the commit that cleared it last. */
  readonly dataId: number;
  readonly definition: RegionDefinition;
  readonly indexes: readonly IndexDefinition[];
  readonly entryCount: number;
  readonly valueBytes: number;
}

export class StoreState {
  sequence: number;
  /** Number of changes made so far, one per changed entry. */
  position: number;
  readonly #regions: Map<string, RegionState>;

  constructor(sequence: number, position: number, regions: Iterable<RegionState>) {
    this.sequence = sequence;
    this.position = position;
    this.#regions = new Map([...regions].map((region) => [region.definition.name, region]));
  }

  copy(): StoreState {
    return new StoreState(this.sequence, this.position, this.#regions.values());
  }

  find(name: string): RegionState | undefined {
    return this.#regions.get(name);
  }

  /** The region of this id, unless it was destroyed. */
  findById(name: string, id: number): RegionState | undefined {
    const region = this.#regions.get(name);
    return region?.id === id ? region : undefined;
  }

  describe(): readonly RegionDescription[] {
    return describeRegions(this.#regions.values());
  }

  /** Applies the next row of the log. */
  apply(row: LogRow): void {
    const region = this.#regions.get(row.region);
    this.sequence = row.sequence;
    this.position = row.position;
    switch (row.kind) {
      case 'create-region':
        this.#regions.set(row.region, newRegion(row));
        return;
      case 'destroy-region':
        this.#regions.delete(row.region);
        return;
      case 'records':
        this.#applyRecords(row, region);
        return;
    }
    if (region !== undefined) this.#regions.set(row.region, changeRegion(region, row));
  }

  #applyRecords(row: LogRow, region: RegionState | undefined): void {
    const { bytesDelta, countDelta, values } = row;
    // Written by `write-history.ts` alone.
    const change = JSON.parse(values[0] ?? '') as RecordsChange;
    const counts = { entryCount: countDelta, valueBytes: bytesDelta };
    switch (change.kind) {
      case 'begin': {
        const { definition, id } = change;
        this.#regions.set(row.region, { id, dataId: id, definition, indexes: [], ...counts });
        return;
      }
      case 'end':
        this.#regions.delete(row.region);
        return;
      case 'reset':
        if (region !== undefined) {
          this.#regions.set(row.region, { ...region, dataId: change.dataId, ...counts });
        }
        return;
      case 'write':
        if (region !== undefined) {
          const entryCount = region.entryCount + countDelta;
          const valueBytes = region.valueBytes + bytesDelta;
          this.#regions.set(row.region, { ...region, entryCount, valueBytes });
        }
    }
  }
}

/** The effect of a commit on a region of records, from its row of the log. */
export type RecordsChange =
  | { readonly kind: 'begin'; readonly id: number; readonly definition: RegionDefinition }
  /** Its entries have another `dataId` from now on. */
  | { readonly kind: 'reset'; readonly dataId: number }
  | { readonly kind: 'write' }
  | { readonly kind: 'end' };

function newRegion({ sequence, values }: LogRow): RegionState {
  return {
    id: sequence,
    dataId: sequence,
    // Written by `region-changes.ts` alone.
    definition: JSON.parse(values[0] ?? '') as RegionDefinition,
    indexes: [],
    entryCount: 0,
    valueBytes: 0,
  };
}

function changeRegion(region: RegionState, row: LogRow): RegionState {
  switch (row.kind) {
    case 'write': {
      const entryCount = region.entryCount + row.countDelta;
      return { ...region, entryCount, valueBytes: region.valueBytes + row.bytesDelta };
    }
    case 'clear':
      return { ...region, dataId: row.sequence, entryCount: 0, valueBytes: 0 };
    case 'alter-region':
      // Written by `region-changes.ts` alone.
      return { ...region, definition: JSON.parse(row.values[0] ?? '') as RegionDefinition };
    case 'add-index': {
      // Written by `region-changes.ts` alone.
      const added = JSON.parse(row.values[0] ?? '') as IndexDefinition;
      return { ...region, indexes: [...region.indexes, added] };
    }
    case 'drop-index': {
      const indexes = region.indexes.filter(({ name }) => name !== row.keys[0]);
      return { ...region, indexes };
    }
    default:
      return region;
  }
}
