// Joins regions in the order with the fewest intermediate rows. The region that is joined later is
// the build side, so this also makes the smaller side the build side. The select is rewritten as if
// FROM had that order. The executor restores the order of the text if the result shows it.

import { mapChildren, mapSelect } from '../../bind/bound-children.ts';
import type { BoundExpression } from '../../bind/bound-query.ts';
import { isLeftJoined } from '../../columnar/shape.ts';
import { mayFailJoined } from '../choose-joins.ts';
import { type Draft, isTextual, type Rule, withShape } from '../draft.ts';
import { JoinOrders } from '../join-order.ts';
import type { PlanData } from '../plan-data.ts';
import { isUnambiguous } from '../safety.ts';

export const orderJoins: Rule = {
  name: 'order-joins',
  apply(draft) {
    const { data } = draft;
    const regions = data.shape.iterators.filter(({ kind }) => kind === 'region');
    // A LEFT JOIN keeps the rows before it, so it stays where it is.
    if (data.shape.iterators.some(isLeftJoined)) return draft;
    // If WHERE is a constant, there is nothing to gain.
    if (regions.length < 2 || data.shape.select.where?.kind === 'literal') return draft;
    // If a query may end before a row fails, rows are read in the order of the text.
    const mayEnd = Number.isFinite(draft.facts.neededRows);
    if (mayEnd && draft.conditions.conjuncts.some((each) => mayFailJoined(draft, each)))
      return draft;
    const restoresOrder = needsOrder(data);
    const order = new JoinOrders(draft).best(restoresOrder);
    return isTextual(order) ? draft : { ...reorder(draft, order), restoresOrder };
  },
};

/** Whether the result shows the order in which rows are found. */
function needsOrder(data: PlanData): boolean {
  const { select } = data.shape;
  if (select.shape === 'count') return false;
  const { grouping } = select;
  if (grouping === undefined) return true;
  if (grouping.aggregates.some(({ dependsOnOrder }) => dependsOnOrder)) return true;
  // The first of equal keys, minima and maxima is shown, and sums of fractions depend on their
  // order.
  const seen = [...grouping.keys, ...grouping.aggregates.flatMap(({ argument }) => argument ?? [])];
  return !seen.every((expression) => isUnambiguous(expression, data));
}

/** Tables keep their numbers, so that nothing has to be opened again. */
function reorder(draft: Draft, order: readonly number[]): Draft {
  const { shape } = draft.data;
  const move = (iterator: number): number => order.indexOf(iterator);
  const change = (node: BoundExpression): BoundExpression =>
    node.kind === 'path' && node.depth === shape.select.depth
      ? { ...node, iterator: move(node.iterator) }
      : mapChildren(node, change);
  const select = mapSelect(shape.select, change);
  const iterators = shape.iterators.map((each) =>
    each.kind === 'items' ? { ...each, parent: move(each.parent) } : each,
  );
  const reordered = {
    ...shape,
    select: { ...select, iterators: order.flatMap((iterator) => select.iterators[iterator] ?? []) },
    iterators: order.flatMap((iterator) => iterators[iterator] ?? []),
    columns: shape.columns.map((column) => ({ ...column, iterator: move(column.iterator) })),
    wholeValues: new Map([...shape.wholeValues].map(([at, iterator]) => [at, move(iterator)])),
  };
  return { ...withShape(draft, reordered), order };
}
