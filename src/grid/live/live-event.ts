// The events of a live query: its rows at one moment, the end of that snapshot, and then deltas.

import type { Delta } from './delta-log.ts';
import type { LiveRow } from './live-row.ts';

export type LiveEvent =
  /** A piece of the rows; `isReset`, on the first piece: earlier events are void. */
  | { readonly kind: 'snapshot'; readonly rows: readonly LiveRow[]; readonly isReset: boolean }
  /** The snapshot is complete as of this sequence. */
  | { readonly kind: 'ready'; readonly sequence: number }
  /** Applying all deltas gives the result as of this sequence. */
  | { readonly kind: 'deltas'; readonly deltas: readonly Delta[]; readonly sequence: number };
