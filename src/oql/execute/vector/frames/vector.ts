// The values of some rows at a path, as arrays.

/**
 * Values of `size` rows; arrays may be longer. Bit t of `mask` is set if some row may have tag t,
 * and all numbers are between `lowest` and `highest`.
 */
export interface Vector {
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  readonly ids: Uint32Array;
  readonly texts: Uint32Array;
  readonly mask: number;
  readonly lowest: number;
  readonly highest: number;
}

export const NO_NUMBERS: Float64Array = new Float64Array(0);
export const NO_IDS: Uint32Array = new Uint32Array(0);
