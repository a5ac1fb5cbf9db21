// LEFT JOIN over columns. ON becomes conditions of the select itself, and a row without a match has
// no value in any column of the joined region:
//
//     FROM /a a LEFT JOIN /b b ON b.x = a.x AND b.y > 5 AND b.z <> a.z WHERE b IS NULL
//
//     equality  b.x = a.x
//     build     b.y > 5
//     others    b.z <> a.z
//     WHERE     b." row" IS NULL

import { mapChildren, mapSelect } from '../bind/bound-children.ts';
import type { BoundAggregate, BoundExpression, BoundSelect } from '../bind/bound-query.ts';
import { leftJoinedRows } from '../bind/left-join.ts';
import { pathsIn } from '../bind/references.ts';
import { regionSourceOf } from '../bind/region-source.ts';
import { type EquiJoin, findEquiJoin, onlyIterator, splitConjuncts } from './conjuncts.ts';

/** The parts of ON. */
export interface LeftJoin {
  readonly equality: EquiJoin;
  /** Conditions on the joined region alone. */
  readonly build: readonly BoundExpression[];
  readonly others: readonly BoundExpression[];
}

/** A member that every row of a region has; a query that names it does not run over columns. */
export const ROW_MEMBER = ' row';

/** Undefined if ON has no equality between members. */
export function toLeftJoin(
  rows: BoundSelect,
  { depth }: BoundSelect,
  stage: number,
): LeftJoin | undefined {
  const move = (node: BoundExpression): BoundExpression =>
    node.kind === 'path' && node.depth === rows.depth
      ? { ...node, depth, iterator: stage }
      : mapChildren(node, move);
  const conjuncts = splitConjuncts(rows.where).map(move);
  const equality = findEquiJoin(conjuncts, stage);
  if (equality?.keys !== 'columns') return undefined;
  const rest = conjuncts.filter((each) => each !== equality.conjunct);
  const { build = [], others = [] } = Object.groupBy(rest, (each) =>
    onlyIterator(each) === stage ? 'build' : 'others',
  );
  return { equality, build, others };
}

/**
 * The select with `b IS NULL` and `COUNT(b)` over a member of b that is missing only where b is
 * null. Whole rows have no column. Undefined if the query names that member itself.
 */
export function testRowsByMember(select: BoundSelect): BoundSelect | undefined {
  const views = select.iterators.map(
    ({ source }) => regionSourceOf(leftJoinedRows(source)?.iterators[0]?.source)?.view,
  );
  if (views.every((view) => view === undefined)) return select;
  if (pathsIn(select).some(({ members }) => members[0] === ROW_MEMBER)) return undefined;
  const memberOf = (node: BoundExpression | undefined): BoundExpression | undefined => {
    if (node?.kind !== 'path' || node.depth !== select.depth) return undefined;
    const { iterator, members } = node;
    const [first, second] = members;
    if (views[iterator] === 'values' && first === undefined) {
      return { ...node, members: [ROW_MEMBER] };
    }
    const isEntry = first === undefined || (first === 'value' && second === undefined);
    return views[iterator] === 'entries' && isEntry ? { ...node, members: ['key'] } : undefined;
  };
  const change = (node: BoundExpression): BoundExpression => {
    const member = node.kind === 'is-null' ? memberOf(node.operand) : undefined;
    // The member of a test is no row again.
    return node.kind === 'is-null' && member
      ? { ...node, operand: member }
      : mapChildren(node, change);
  };
  const count = (aggregate: BoundAggregate): BoundAggregate => {
    const { function: name, distinct, argument } = aggregate;
    const member = name === 'count' && !distinct ? memberOf(argument) : undefined;
    return member === undefined ? aggregate : { ...aggregate, argument: member };
  };
  const changed = mapSelect(select, change);
  const { grouping } = changed;
  if (grouping === undefined) return changed;
  return { ...changed, grouping: { ...grouping, aggregates: grouping.aggregates.map(count) } };
}
