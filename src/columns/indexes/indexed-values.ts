// The indexed values of a row: one for a member, any number for a member of nested items. Numbers
// and strings are keys; everything else is kept apart by kind.

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
import { CHUNK_BITS, CHUNK_MASK, type Column, type ColumnChunk } from '../column.ts';
import type { ItemLists } from '../item-lists.ts';
import type { DerivedColumn } from './derived-column.ts';

export interface IndexSource {
  readonly column: Column;
  /** The collections on the way to the column, outermost first. */
  readonly lists: readonly ItemLists[];
  /** The owner of the column, where its values are computed and not read from documents. */
  readonly derived?: DerivedColumn | undefined;
  /** Keys of rows, for an index that compares values with them. */
  readonly keyOf?: (row: number) => string;
}

export type IndexedKind =
  | 'number'
  | 'string'
  | 'missing'
  | 'null'
  | 'true'
  | 'false'
  | 'composite'
  | 'odd';

/** Calls `visit` with each value of a row; the key is the number, or the id of the string. */
export function visitValues(
  { column, lists }: IndexSource,
  row: number,
  visit: (kind: IndexedKind, key: number) => void,
): void {
  const chunk = row >> CHUNK_BITS;
  if (lists.length === 0) {
    visitPlace(column.chunks[chunk], row & CHUNK_MASK, visit);
    return;
  }
  const visitAt = (place: number, depth: number): void => {
    const list = lists[depth];
    if (list === undefined) {
      visitPlace(column.chunks[chunk], place, visit);
      return;
    }
    const items = list.chunks[chunk];
    const start = items?.starts[place] ?? 0;
    const end = start + (items?.counts[place] ?? 0);
    for (let item = start; item < end; item += 1) visitAt(item, depth + 1);
  };
  visitAt(row & CHUNK_MASK, 0);
}

function visitPlace(
  values: ColumnChunk | undefined,
  place: number,
  visit: (kind: IndexedKind, key: number) => void,
): void {
  const kind = kindAt(values, place);
  visit(kind, keyAt(values, place, kind));
}

export function kindAt(values: ColumnChunk | undefined, place: number): IndexedKind {
  return kindOf(values?.tags[place] ?? MISSING);
}

/** The number, or the id of the string. */
export function keyAt(values: ColumnChunk | undefined, place: number, kind: IndexedKind): number {
  return (kind === 'string' ? values?.ids[place] : values?.numbers[place]) ?? 0;
}

function kindOf(tag: number): IndexedKind {
  if (tag === STRING) return 'string';
  if (isNumberTag(tag)) return 'number';
  if (tag === MISSING) return 'missing';
  if (tag === NULL) return 'null';
  if (tag <= FALSE) return tag === TRUE ? 'true' : 'false';
  return tag === OBJECT || tag === ARRAY ? 'composite' : 'odd';
}
