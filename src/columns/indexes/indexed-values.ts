// The indexed values of a row: one for a member, any number for a member of nested items. Numbers
// and strings are keys; everything else is stored by kind.

import { CHUNK_BITS, CHUNK_MASK, type UnkeyedKind } from '../../value/column-data.ts';
import {
  ARRAY,
  FALSE,
  isNumberTag,
  MISSING,
  NULL,
  OBJECT,
  STRING,
  TRUE,
} from '../../value/row-tags.ts';
import type { Column, ColumnChunk } from '../column.ts';
import type { ItemLists } from '../item-lists.ts';
import type { DerivedColumn } from './derived-column.ts';

export interface IndexSource {
  readonly column: Column;
  /** The collections on the way to the column, outermost first. */
  readonly lists: readonly ItemLists[];
  /** The owner of the column, if its values are computed. */
  readonly derived?: DerivedColumn | undefined;
  /** Keys of rows, for an index that compares values with them. */
  readonly keyOf?: (row: number) => string;
}

export type IndexedKind = UnkeyedKind | 'number' | 'string';

/** Calls `visit` with each value of a row; the key is the number, or the id of the string. */
export function visitValues(
  { column, lists }: IndexSource,
  row: number,
  visit: (kind: IndexedKind, key: number) => void,
): void {
  const chunk = row >> CHUNK_BITS;
  if (lists.length === 0) {
    visitIndex(column.chunks[chunk], row & CHUNK_MASK, visit);
    return;
  }
  const visitAt = (index: number, depth: number): void => {
    const list = lists[depth];
    if (list === undefined) {
      visitIndex(column.chunks[chunk], index, visit);
      return;
    }
    const items = list.chunks[chunk];
    const start = items?.starts[index] ?? 0;
    const end = start + (items?.counts[index] ?? 0);
    for (let item = start; item < end; item += 1) visitAt(item, depth + 1);
  };
  visitAt(row & CHUNK_MASK, 0);
}

function visitIndex(
  values: ColumnChunk | undefined,
  index: number,
  visit: (kind: IndexedKind, key: number) => void,
): void {
  const kind = kindAt(values, index);
  visit(kind, keyAt(values, index, kind));
}

export function kindAt(values: ColumnChunk | undefined, index: number): IndexedKind {
  return kindOf(values?.tags[index] ?? MISSING);
}

/** The number, or the id of the string. */
export function keyAt(values: ColumnChunk | undefined, index: number, kind: IndexedKind): number {
  return (kind === 'string' ? values?.ids[index] : values?.numbers[index]) ?? 0;
}

function kindOf(tag: number): IndexedKind {
  if (tag === STRING) return 'string';
  if (isNumberTag(tag)) return 'number';
  if (tag === MISSING) return 'missing';
  if (tag === NULL) return 'null';
  if (tag <= FALSE) return tag === TRUE ? 'true' : 'false';
  return tag === OBJECT || tag === ARRAY ? 'composite' : 'other';
}
