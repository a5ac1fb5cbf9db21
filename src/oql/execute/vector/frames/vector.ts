// The values of some rows at a path, as arrays.

import type { SourceChunk } from '../../../../value/column-data.ts';

/** Arrays may be longer than the rows. */
export type Vector = Omit<SourceChunk, 'filled' | 'ensure'>;

export const NO_NUMBERS: Float64Array = new Float64Array(0);
export const NO_IDS: Uint32Array = new Uint32Array(0);
