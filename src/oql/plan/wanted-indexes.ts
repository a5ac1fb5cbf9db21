// Which indexes of a region a query may use. Only these are opened, and built if they are not yet:
// an index on a path that is only printed would cost much and serve nothing.

import { forEachChild } from '../bind/bound-children.ts';
import type { BoundExpression, BoundSelect } from '../bind/bound-query.ts';
import type { ColumnSource, IndexFacts, TableRequest } from '../execute/vector/column-source.ts';
import { findSlot, type VectorShape } from '../execute/vector/shape.ts';
import { isSamePath } from './draft.ts';

export interface WantedIndexes {
  /** All indexes of each table's region. */
  readonly indexes: readonly (readonly IndexFacts[])[];
  /** The tables to open, with those indexes that may be of use. */
  readonly requests: readonly TableRequest[];
}

export function wantIndexes(shape: VectorShape, columns: ColumnSource): WantedIndexes {
  const indexes = shape.requests.map(({ region }) => columns.indexesOf(region));
  if (indexes.every(({ length }) => length === 0)) return { indexes, requests: shape.requests };
  const requests = shape.requests.map((request, table) => ({
    ...request,
    indexes: (indexes[table] ?? [])
      .filter(({ path }) => isUseful(shape, table, path))
      .map(({ name }) => name),
  }));
  return { indexes, requests };
}

/** Whether an index on a path of a table may serve the query. */
export function isUseful(shape: VectorShape, table: number, path: IndexFacts['path']): boolean {
  const useful = usefulSlots(shape);
  return shape.slots.some(
    (slot, at) =>
      useful.has(at) &&
      shape.iterators[slot.iterator]?.table === table &&
      isSamePath(slot.path, path),
  );
}

/** Slots of conditions, joins, the first sort key, extremes and DISTINCT. */
function usefulSlots({ select, slots }: VectorShape): ReadonlySet<number> {
  const found = new Set<number>();
  const visit = (expression: BoundExpression): void => {
    if (expression.kind === 'path') found.add(findSlot(slots, expression));
    else forEachChild(expression, visit);
  };
  for (const expression of usefulExpressions(select)) visit(expression);
  return found;
}

function usefulExpressions(select: BoundSelect): readonly BoundExpression[] {
  const { where, orderBy, grouping, distinct, projections } = select;
  return [
    where,
    orderBy[0]?.expression,
    ...(grouping?.aggregates ?? []).map(({ argument }) => argument),
    distinct ? projections[0]?.expression : undefined,
  ].filter((expression) => expression !== undefined);
}
