// A copy of a store at one commit, from which another store can be made. It has everything that a
// new store needs to continue, including the versions that clients know.

import type { KeyedEntry, RegionDescription } from './engine.ts';

export interface StoreCopy {
  /** The latest commit. */
  readonly sequence: number;
  /** Reserved ones included. */
  readonly regions: readonly RegionDescription[];
  /** In key order, in batches. */
  entries(region: string): AsyncIterable<readonly KeyedEntry[]>;
}
