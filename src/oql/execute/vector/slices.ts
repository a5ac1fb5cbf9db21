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
  readonly #least: number;
  readonly #most: number;

  constructor({ first, least, most }: Readonly<Record<'first' | 'least' | 'most', number>>) {
    this.size = first;
    this.#least = least;
    this.#most = most;
  }

  /** Must be called with the duration of each piece. */
  adapt(rows: number, tookMs: number): void {
    if (tookMs > LONG_MS) this.size = Math.max(this.#least, this.size >> 2);
    else if (tookMs < SHORT_MS && rows === this.size) {
      this.size = Math.min(this.#most, this.size * 2);
    }
  }
}

/** For values that are computed row by row. */
export function computedBatchSize(): BatchSize {
  return new BatchSize({ first: 1, least: 1, most: 64 });
}

/** For values that are read from columns. */
export function columnBatchSize(): BatchSize {
  return new BatchSize({ first: 1024, least: 64, most: 4096 });
}

export async function* inSlices(
  rows: Uint32Array,
  pacer: Pacer,
  batch: BatchSize,
): AsyncGenerator<Uint32Array> {
  for (let start = 0; start < rows.length; ) {
    const some = rows.subarray(start, start + batch.size);
    start += some.length;
    const begun = pacer.now();
    yield some;
    batch.adapt(some.length, pacer.now() - begun);
    if (pacer.isSliceOver()) await pacer.pause();
  }
}
