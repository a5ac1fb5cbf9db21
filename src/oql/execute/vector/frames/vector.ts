// The values of some rows at a path, as arrays.

import type { SourceChunk, SourceColumn } from '../../../../value/column-data.ts';
import { parseJson } from '../../../../value/json-parse.ts';
import { DOUBLE, FALSE, INTEGER, MISSING, NULL, STRING, TRUE } from '../../../../value/row-tags.ts';
import { Double, UNDEFINED, type Value } from '../../../../value/value.ts';

/** Arrays may be longer than the rows. */
export type Vector = Omit<SourceChunk, 'filled' | 'ensure'>;

export const NO_NUMBERS: Float64Array = new Float64Array(0);
export const NO_IDS: Uint32Array = new Uint32Array(0);

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
