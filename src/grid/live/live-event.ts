// What a consumer of a live query hears: the rows at one moment, that they are complete, and then
// how they change.

import type { Delta } from './delta-log.ts';

/** Ids and rows are JSON texts. */
export interface SnapshotRow {
  readonly id: string;
  readonly row: string;
}

export type LiveEvent =
  /** A piece of the rows; `isReset`, on the first piece: what was heard before is void. */
  | { readonly kind: 'snapshot'; readonly rows: readonly SnapshotRow[]; readonly isReset: boolean }
  /** What was heard so far makes the whole result as of this sequence. */
  | { readonly kind: 'ready'; readonly sequence: number }
  /** All deltas together lead to the result as of this sequence. */
  | { readonly kind: 'deltas'; readonly deltas: readonly Delta[]; readonly sequence: number };
