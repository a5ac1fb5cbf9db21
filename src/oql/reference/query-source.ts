// The port through which a running query reads data: one consistent snapshot, which its opener
// closes. The grid implements it.

import type { RegionType } from '../../value/region-words.ts';

export interface QuerySource {
  /** The region of that name in the snapshot, undefined if there is none. */
  findRegion(name: string): Promise<SourceRegion | undefined>;
}

export interface SourceRegion {
  readonly type: RegionType;
  /** Number of entries in the snapshot. */
  readonly size: number;
  /** Entries in key order, all or those after a key. Leaving the loop releases the reader. */
  entries(after?: string): AsyncIterable<readonly SourceEntry[]>;
  /** JSON text of the value of one key, undefined if the key is absent. */
  get(key: string): Promise<string | undefined>;
}

export interface SourceEntry {
  readonly key: string;
  /** Stored JSON text. */
  readonly value: string;
}
