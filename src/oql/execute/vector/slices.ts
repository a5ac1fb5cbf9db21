// Processes rows in pieces, and yields to other requests between them. The cost of a row is not
// known in advance: nanoseconds if it joins an existing group, a microsecond if it opens a new one,
// and up to a millisecond if it is computed from strings.

import type { Pacer } from '../../reference/pacer.ts';

/** After a shorter piece the next has twice as many rows, after a longer piece a quarter. */
const SHORT_MS = 0.4;
const LONG_MS = 0.8;

/** The number of rows per piece. It is kept from frame to frame, because frames are alike. */
export class BatchSize {
  size: number;
  readonly #min: number;
  readonly #max: number;

  constructor({ first, min, max }: Readonly<Record<'first' | 'min' | 'max', number>>) {
    this.size = first;
    this.#min = min;
    this.#max = max;
  }

  /** Must be called with the duration of each piece. */
  adapt(rows: number, tookMs: number): void {
    if (tookMs > LONG_MS) this.size = Math.max(this.#min, this.size >> 2);
    else if (tookMs < SHORT_MS && rows === this.size) {
      this.size = Math.min(this.#max, this.size * 2);
    }
  }
}

/** For values that are computed row by row. */
export function computedBatchSize(): BatchSize {
  return new BatchSize({ first: 1, min: 1, max: 64 });
}

/** For values that are read from columns. */
export function columnBatchSize(): BatchSize {
  return new BatchSize({ first: 1024, min: 64, max: 4096 });
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
    batch.adapt(slice.length, pacer.now() - startedAt);
    if (pacer.isSliceOver()) await pacer.pause();
  }
}
