// Rows whose values are computed one by one, in pieces between which others get a turn.

import type { Pacer } from '../pacer.ts';

/** Most rows at a time. */
const MOST = 64;

/**
 * One row, then two, then four, as long as there is time left in the slice: a row may take a
 * microsecond, or a millisecond where its strings are long.
 */
export async function* inSlices(rows: Uint32Array, pacer: Pacer): AsyncGenerator<Uint32Array> {
  let size = 1;
  for (let start = 0; start < rows.length; ) {
    const some = rows.subarray(start, start + size);
    start += some.length;
    yield some;
    if (pacer.isSliceOver()) {
      await pacer.pause();
      size = 1;
    } else {
      size = Math.min(size * 2, MOST);
    }
  }
}
