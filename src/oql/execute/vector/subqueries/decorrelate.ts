// Decorrelates subqueries that refer to outer rows by equalities alone:
//
//     SELECT o.id FROM /orders o WHERE (SELECT * FROM /notes n WHERE n.order = o.id).size > 0
//
// The subquery runs once without the equality, and returns the rows of every order. The rows of one
// order are found by the hash key of `o.id`. Equal hash keys mean `=`: two null and two missing
// values are equal, and have equal hash keys.

import { hashKey } from '../../../../value/compare.ts';
import { type List, Struct, UNDEFINED, type Value } from '../../../../value/value.ts';
import { mapChildren, mapSelect, someChild } from '../../../bind/bound-children.ts';
import type { BoundExpression, BoundProjection, BoundSelect } from '../../../bind/bound-query.ts';
import { givesRowsAsFound } from '../../../bind/plain-select.ts';
import { depthsOf, hasSelect } from '../../../bind/references.ts';
import { keepsUnknown } from '../../../bind/where-outcome.ts';
import { joinConditions, neverFails, splitConjuncts } from '../../../columnar/conjuncts.ts';
import type { Span } from '../../../syntax/position.ts';

/** How a subquery runs before its query. */
export interface FoldedSubquery {
  /** Refers to no outer row. */
  readonly select: BoundSelect;
  /** What replaces the subquery, from the rows of `select`. */
  readonly replace: (rows: List) => BoundExpression;
}

/** Undefined if a subquery refers to outer rows by more than equalities. */
export function decorrelate(select: BoundSelect): FoldedSubquery | undefined {
  const parts = splitConditions(select);
  if (parts === undefined || parts.innerKeys.length === 0 || !isLimitedByKey(select))
    return undefined;
  const { innerKeys, outerKeys: keys, where } = parts;
  const separate = separateRows(select, innerKeys, where);
  if (refersOutside(separate)) return undefined;
  const { shape, span } = select;
  const otherwise = shape === 'count' ? [0] : [];
  return {
    select: separate,
    replace: (keyed) => {
      const rows = groupByKey(keyed, select, keys.length);
      return { kind: 'rows-by-key', keys, rows, otherwise, span };
    },
  };
}

/**
 * `EXISTS (subquery)` as a semi-join: `key IN (…)`, over the different keys of the rows that the
 * subquery finds. Undefined where more than one equality correlates the subquery, and where its
 * rows could fail or be cut by LIMIT: EXISTS must then evaluate them.
 */
export function toSemiJoin(select: BoundSelect, span: Span): FoldedSubquery | undefined {
  if (!givesRowsAsFound(select)) return undefined;
  if (!select.projections.every(({ expression }) => neverFails(expression))) return undefined;
  const parts = splitConditions(select);
  const [innerKey, second] = parts?.innerKeys ?? [];
  const [value] = parts?.outerKeys ?? [];
  if (!parts || !innerKey || !value || second) return undefined;
  const rows = separateRows({ ...select, projections: [] }, [innerKey], parts.where);
  if (refersOutside(rows)) return undefined;
  return {
    select: { ...rows, distinct: true, shape: 'bare' },
    replace: (keys) => {
      const collection: BoundExpression = { kind: 'literal', value: keys, span: select.span };
      return { kind: 'in', value, collection, span };
    },
  };
}

/** The equalities with outer rows, by their two sides, and the condition without them. */
function splitConditions({ where, depth }: BoundSelect) {
  const innerKeys: BoundExpression[] = [];
  const outerKeys: BoundExpression[] = [];
  const remaining: BoundExpression[] = [];
  for (const conjunct of splitConjuncts(where)) {
    if (!hasOuter(conjunct, depth)) {
      remaining.push(conjunct);
      continue;
    }
    if (conjunct.kind !== 'comparison' || conjunct.operator !== '=') return undefined;
    const { left, right } = conjunct;
    const [inner, outer] = hasOuter(right, depth) ? [left, right] : [right, left];
    if (hasOuter(inner, depth) || depthsOf(outer).has(depth) || hasSelect(outer)) return undefined;
    innerKeys.push(inner);
    outerKeys.push(outer);
  }
  // A key that fails counts also for rows that the other conditions, if unknown, would drop.
  if (remaining.length > 0 && !innerKeys.every(neverFails)) return undefined;
  return { innerKeys, outerKeys, where: joinRemaining(remaining) };
}

/** The remaining conditions as an AND; a single `<>` as the whole WHERE would keep unknown rows. */
function joinRemaining(conditions: readonly BoundExpression[]): BoundExpression | undefined {
  const where = joinConditions(conditions);
  if (where === undefined || !keepsUnknown(where)) return where;
  return { kind: 'and', operands: conditions, span: where.span };
}

function hasOuter(expression: BoundExpression, depth: number): boolean {
  return [...depthsOf(expression)].some((each) => each < depth);
}

function refersOutside(select: BoundSelect): boolean {
  return someChild(select, (child) => hasOuter(child, select.depth));
}

/** LIMIT and OFFSET count the rows of one key, and are applied to the rows of each key. */
function isLimitedByKey({ limit, offset, shape, distinct }: BoundSelect): boolean {
  if (limit?.kind === 'parameter' || offset?.kind === 'parameter') return false;
  return shape !== 'count' || (!distinct && limit === undefined && offset === undefined);
}

/**
 * The select without the correlated equalities, whose inner sides it groups and projects by. It
 * gives structs: the values of the keys, then those of the projections.
 */
function separateRows(
  select: BoundSelect,
  keys: readonly BoundExpression[],
  where: BoundExpression | undefined,
): BoundSelect {
  const { depth } = select;
  const shift = (node: BoundExpression): BoundExpression =>
    node.kind === 'group-key' && node.depth === depth
      ? { ...node, key: node.key + keys.length }
      : mapChildren(node, shift);
  const { grouping, projections, orderBy } = mapSelect(select, shift);
  const projectedKeys = keys.map((key, index): BoundProjection => {
    const expression: BoundExpression =
      grouping === undefined ? key : { kind: 'group-key', depth, key: index, span: key.span };
    return { name: `key$${index}`, expression };
  });
  return {
    ...select,
    where,
    grouping: grouping && { ...grouping, keys: [...keys, ...grouping.keys] },
    projections: [...projectedKeys, ...(select.shape === 'count' ? [] : projections)],
    shape: 'struct',
    orderBy: orderBy.map((key) => ({
      ...key,
      projection: key.projection === undefined ? undefined : key.projection + keys.length,
    })),
    limit: undefined,
    offset: undefined,
    outerDepths: [],
  };
}

/** The rows of each key, in the order of the subquery, with LIMIT and OFFSET applied. */
function groupByKey(rows: List, select: BoundSelect, keyCount: number): ReadonlyMap<string, List> {
  const names = select.projections.map(({ name }) => name);
  const groups = new Map<string, Value[]>();
  for (const row of rows) {
    if (!(row instanceof Struct)) throw new Error('a subquery returned no structs');
    const key = hashKey(row.values.slice(0, keyCount));
    const values = row.values.slice(keyCount);
    const [only = UNDEFINED] = values;
    const value = select.shape === 'bare' ? only : new Struct(names, values);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  if (select.shape === 'count') {
    return new Map([...groups].map(([key, values]) => [key, [values.length]]));
  }
  const from = select.offset?.kind === 'rows' ? select.offset.rows : 0;
  const to = select.limit?.kind === 'rows' ? from + select.limit.rows : undefined;
  if (from === 0 && to === undefined) return groups;
  return new Map([...groups].map(([key, values]) => [key, values.slice(from, to)]));
}
