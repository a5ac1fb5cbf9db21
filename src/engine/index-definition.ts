// An index is data: where it is kept and how it is filled is decided above the
// engine, which only remembers the definition beside its region.

export type IndexKind = 'range' | 'hash' | 'key';

export interface IndexDefinition {
  readonly name: string;
  readonly kind: IndexKind;
  /** OQL expression, for example `o.status` or `i.sku`. */
  readonly expression: string;
  /** OQL FROM clause, for example `/orders o, o.items i`. */
  readonly from: string;
  /** No two entries of the region may have the same value. */
  readonly unique?: true;
  /** Of a unique index: the region that holds who has which value. No other index ever has it. */
  readonly records?: string;
}

/** A definition with its known members alone, in a fixed order: engines keep it as JSON. */
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
