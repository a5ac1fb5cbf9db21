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
}
