import type { BoundExpression, BoundFunction, BoundQuery, BoundSelect } from './bound-query.ts';

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
  return columnsOf(body);
}

function columnsOf(query: BoundExpression): ResultColumns | undefined {
  // UNION, EXCEPT and INTERSECT have the columns of their first query.
  if (isSetOperation(query)) return query.arguments[0] && columnsOf(query.arguments[0]);
  if (query.kind !== 'select') return undefined;
  const { countName, shape } = query;
  if (countName !== undefined) return { names: [countName], rows: 'value' };
  const source = sourceOfRows(query);
  const columns = source && columnsOf(source);
  if (source !== undefined && (isSetOperation(source) || columns?.rows === 'struct')) {
    return columns;
  }
  const names = query.projections.map(({ name }) => name);
  return { names, rows: shape === 'struct' ? 'struct' : 'value' };
}

export function isSetOperation(query: BoundExpression): query is BoundFunction {
  return query.kind === 'function' && query.definition.isSetOperation === true;
}

/** The collection whose elements are the rows, as in `SELECT * FROM (query)`. */
function sourceOfRows(select: BoundSelect): BoundExpression | undefined {
  const [projection, other] = select.projections;
  if (select.shape !== 'bare' || other !== undefined) return undefined;
  const row = projection?.expression;
  if (row?.kind !== 'path' || row.depth !== select.depth || row.members.length > 0) {
    return undefined;
  }
  return select.iterators[row.iterator]?.source;
}
