// Looks up the codes that values of one column have in another. A label is a number that
// replaces a code, such as the group of a build row.

import type { Vector } from '../frames/vector.ts';
import { type NumberWindow, UNSEEN } from './number-codes.ts';

/** Codes of the first `size` values. */
export type FindCodes = (vector: Vector, size: number) => FoundCodes;

export interface FoundCodes {
  /** -1 for a value that has none. */
  readonly codes: Int32Array;
  /** True only if every value is known to have a code. */
  readonly areAllKnown: boolean;
}

export interface LabelFinder {
  readonly find: FindCodes;
  readonly findLabels: FindCodes;
}

/** Replaces codes by their labels; -1 stays. Returns whether there is no -1. */
export function labelCodes(codes: Int32Array, size: number, labels: Uint32Array): boolean {
  let signs = 0;
  for (let row = 0; row < size; row += 1) {
    const code = codes[row] ?? UNSEEN;
    signs |= code;
    codes[row] = code < 0 ? code : (labels[code] ?? 0);
  }
  return signs >= 0;
}

/** A window of labels: one look-up instead of two. */
export function* labelWindow(
  window: NumberWindow,
  labels: Uint32Array,
): Generator<void, NumberWindow> {
  const codes = window.codes.slice();
  for (let from = 0; from < codes.length; from += LABELS_PER_STEP) {
    const some = codes.subarray(from, from + LABELS_PER_STEP);
    labelCodes(some, some.length, labels);
    yield;
  }
  return { low: window.low, codes };
}

const LABELS_PER_STEP = 1 << 15;
