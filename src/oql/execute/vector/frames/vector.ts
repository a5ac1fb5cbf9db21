// The values of some rows at a path, as arrays.

import type { Dictionary, SourceChunk, SourceColumn } from '../../../../value/column-data.ts';
import { parseJson } from '../../../../value/json-parse.ts';
import {
  DOUBLE,
  FALSE,
  INTEGER,
  isNumberTag,
  MISSING,
  NULL,
  STRING,
  TRUE,
} from '../../../../value/row-tags.ts';
import { compareIds } from '../../../../value/utf8-order.ts';
import { Double, UNDEFINED, type Value } from '../../../../value/value.ts';

/** Arrays may be longer than the rows. */
export type Vector = Omit<SourceChunk, 'filled' | 'ensure'>;

export const NO_NUMBERS: Float64Array = new Float64Array(0);
export const NO_IDS: Uint32Array = new Uint32Array(0);

/** A chunk whose rows all have a tag. Rows that are added after the query began are not read. */
export function chunkOf(tag: number, size: number): SourceChunk {
  return {
    tags: new Uint8Array(size).fill(tag),
    numbers: NO_NUMBERS,
    ids: NO_IDS,
    texts: NO_IDS,
    mask: 1 << tag,
    filled: tag === MISSING ? 0 : size,
    lowest: Number.POSITIVE_INFINITY,
    highest: Number.NEGATIVE_INFINITY,
    ensure: () => undefined,
  };
}

/** One row as a value of the language, exactly as the stored text has it. */
export function readValue(vector: Vector, index: number, column: SourceColumn): Value {
  switch (vector.tags[index]) {
    case MISSING:
      return UNDEFINED;
    case NULL:
      return null;
    case TRUE:
      return true;
    case FALSE:
      return false;
    case INTEGER:
      return vector.numbers[index] ?? 0;
    case DOUBLE:
      return new Double(vector.numbers[index] ?? 0);
    case STRING:
      return column.strings.text(vector.ids[index] ?? 0);
    default:
      return parseJson(column.texts.text(vector.texts[index] ?? 0));
  }
}

/** The order of two numbers or two strings; undefined for all other pairs. */
export function orderAt(
  a: Vector,
  left: number,
  leftStrings: Dictionary | undefined,
  b: Vector,
  right: number,
  rightStrings: Dictionary | undefined,
): number | undefined {
  const leftTag = a.tags[left] ?? 0;
  const rightTag = b.tags[right] ?? 0;
  if (isNumberTag(leftTag)) {
    return isNumberTag(rightTag) ? (a.numbers[left] ?? 0) - (b.numbers[right] ?? 0) : undefined;
  }
  if (leftTag !== STRING || rightTag !== STRING) return undefined;
  if (leftStrings === undefined || rightStrings === undefined) return undefined;
  return compareIds(leftStrings, a.ids[left] ?? 0, rightStrings, b.ids[right] ?? 0);
}
