import type { BoundQuery } from './bound-query.ts';

/** The names of the columns of a query, as far as its text determines them. */
export interface ResultColumns {
  readonly names: readonly string[];
  /**
   * `struct`: each row is an object of these names. `value`: each row is the value of the only one.
   */
  readonly rows: 'struct' | 'value';
}

/** Undefined for a query that is an expression. */
export function resultColumns({ body }: BoundQuery): ResultColumns | undefined {
  if (body.kind !== 'select') return undefined;
  const { countName } = body;
  if (countName !== undefined) return { names: [countName], rows: 'value' };
  const names = body.projections.map(({ name }) => name);
  return { names, rows: body.shape === 'struct' ? 'struct' : 'value' };
}
