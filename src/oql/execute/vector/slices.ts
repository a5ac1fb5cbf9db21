// Processes rows in pieces, and yields to other requests between them. The cost of a row is not
// known in advance: nanoseconds if it joins an existing group, a microsecond if it opens a new one,
// and up to a millisecond if it is computed from strings.

import type { Pacer } from '../../reference/pacer.ts';

/** After a shorter piece the next has twice as many rows, after a longer piece a quarter. */
const SHORT_MS = 0.4;
const LONG_MS = 0.8;

/** The number of rows per piece. It is kept from frame to frame, because frames are alike. */
export interface BatchSize {
  size: number;
  readonly min: number;
  readonly max: number;
}

/** For values that are computed row by row. */
export function computedBatchSize(): BatchSize {
  return { size: 1, min: 1, max: 64 };
}

/** For values that are read from columns. */
export function columnBatchSize(): BatchSize {
  return { size: 1024, min: 64, max: 4096 };
}

export async function* inSlices(
  rows: Uint32Array,
  pacer: Pacer,
  batch: BatchSize,
): AsyncGenerator<Uint32Array> {
  for (let start = 0; start < rows.length; ) {
    const slice = rows.subarray(start, start + batch.size);
    start += slice.length;
    const startedAt = pacer.now();
    yield slice;
    const tookMs = pacer.now() - startedAt;
    if (tookMs > LONG_MS) batch.size = Math.max(batch.min, batch.size >> 2);
    else if (tookMs < SHORT_MS && slice.length === batch.size) {
      batch.size = Math.min(batch.max, batch.size * 2);
    }
    if (pacer.isSliceOver()) await pacer.pause();
  }
}
