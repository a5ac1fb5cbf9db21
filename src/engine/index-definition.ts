// An index is a definition stored with its region. The layers above the engine decide where the index
// itself is and how it is filled.

import type { IndexKind } from '../value/region-words.ts';

export interface IndexDefinition {
  readonly name: string;
  readonly kind: IndexKind;
  /** OQL expression, for example `o.status` or `i.sku`. */
  readonly expression: string;
  /** OQL FROM clause, for example `/orders o, o.items i`. */
  readonly from: string;
  /** No two entries of the region may have the same value. */
  readonly unique?: true;
  /** For a unique index: the region with a record per value. No other index ever uses it. */
  readonly records?: string;
}

/** A definition with only its known members, in a fixed order: engines store it as JSON. */
export function toStoredIndex(index: IndexDefinition): IndexDefinition {
  const { expression, from, kind, name, records, unique } = index;
  return {
    name,
    kind,
    expression,
    from,
    ...(unique === undefined ? {} : { unique }),
    ...(records === undefined ? {} : { records }),
  };
}

/** The definition that conflicts with another: one with its name, or with its content. */
export function findTaken(
  indexes: readonly IndexDefinition[],
  wanted: IndexDefinition,
): IndexDefinition | undefined {
  return indexes.find(
    (index) =>
      index.name === wanted.name ||
      (index.expression === wanted.expression &&
        index.from === wanted.from &&
        index.kind === wanted.kind &&
        index.unique === wanted.unique),
  );
}
