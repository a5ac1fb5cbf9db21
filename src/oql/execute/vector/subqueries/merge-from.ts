// Subqueries in FROM that only filter and rename the rows of a region:
//
//     SELECT x.n FROM (SELECT w.total AS n FROM /orders w WHERE w.paid = TRUE) x WHERE x.n = 5
//     SELECT w.total FROM /orders w WHERE w.paid = TRUE AND w.total = 5
//
// The merged query fails if the original does, and may fail if the original does not, because it
// reads more rows. So if it fails, the original runs.

import { UNDEFINED } from '../../../../value/value.ts';
import { mapChildren, mapSelect } from '../../../bind/bound-children.ts';
import type { BoundExpression, BoundPath, BoundSelect } from '../../../bind/bound-query.ts';
import { givesRowsAsFound } from '../../../bind/plain-select.ts';
import { hasSelect, pathsIn } from '../../../bind/references.ts';
import { regionSourceOf } from '../../../bind/region-source.ts';
import { keepsUnknown } from '../../../bind/where-outcome.ts';
import { joinConditions, neverFails, splitConjuncts } from '../../../columnar/conjuncts.ts';

/** The select with the subqueries of FROM merged that can be; the same select if there are none. */
export function mergeFrom(select: BoundSelect): BoundSelect {
  // LIMIT bounds a count only if it has WHERE, which merging may add.
  if (select.shape === 'count' && select.limit !== undefined) return select;
  let merged = select;
  for (const iterator of select.iterators.keys())
    merged = mergeIterator(merged, iterator) ?? merged;
  return merged;
}

function mergeIterator(select: BoundSelect, iterator: number): BoundSelect | undefined {
  const inner = select.iterators[iterator]?.source;
  if (inner?.kind !== 'select' || !isPlain(inner)) return undefined;
  if (select.where !== undefined && !dropsUnknown(select.where)) return undefined;
  if (inner.where !== undefined && !isMovable(inner.where, select)) return undefined;
  const [source] = inner.iterators;
  if (source === undefined) return undefined;
  const move = (node: BoundExpression): BoundExpression =>
    node.kind === 'path' && node.depth === inner.depth
      ? { ...node, depth: select.depth, iterator }
      : mapChildren(node, move);
  const isOfInner = (node: BoundExpression): node is BoundPath =>
    isOwnPath(node, select.depth) && node.iterator === iterator;
  if (!pathsIn(select).every((path) => !isOfInner(path) || toRegionMembers(inner, path)))
    return undefined;
  const rename = (node: BoundExpression): BoundExpression =>
    isOfInner(node)
      ? { ...node, members: toRegionMembers(inner, node) ?? node.members }
      : mapChildren(node, rename);
  const outer = mapSelect(select, rename);
  const iterators = outer.iterators.map((each, at) =>
    at === iterator ? { ...each, source: source.source } : each,
  );
  const conditions = [...splitConjuncts(inner.where).map(move), ...splitConjuncts(outer.where)];
  return { ...outer, iterators, where: joinConditions(conditions) };
}

/** Rows of one region, each as it is, with members of it as projections. */
export function isPlain(select: BoundSelect): boolean {
  const { distinct, iterators, projections } = select;
  return (
    givesRowsAsFound(select) &&
    regionSourceOf(iterators[0]?.source)?.view === 'values' &&
    iterators.length === 1 &&
    !distinct &&
    select.outerDepths.length === 0 &&
    projections.every(({ expression }) => isOwnPath(expression, select.depth))
  );
}

function isOwnPath(expression: BoundExpression, depth: number): expression is BoundPath {
  return expression.kind === 'path' && expression.depth === depth;
}

/**
 * A failure of the inner condition must not be hidden: by an outer condition that is false, by
 * another iterator without rows, or by LIMIT, which may end the query before the row that fails.
 */
function isMovable(where: BoundExpression, outer: BoundSelect): boolean {
  if (!dropsUnknown(where) || hasSelect(where)) return false;
  const isAlone = outer.where === undefined && outer.iterators.length === 1;
  return (isAlone && outer.limit === undefined) || splitConjuncts(where).every(isSafe);
}

function isSafe(condition: BoundExpression): boolean {
  const { kind } = condition;
  const isCondition = kind === 'comparison' || kind === 'like';
  return (isCondition || kind === 'is-null' || kind === 'is-defined') && neverFails(condition);
}

/** A single `<>` keeps unknown rows, and as one of several conditions it does not. */
function dropsUnknown(where: BoundExpression): boolean {
  if (where.kind !== 'comparison' || !keepsUnknown(where)) return true;
  return [where.left, where.right].some(
    (side) => side.kind === 'literal' && side.value !== UNDEFINED,
  );
}

/**
 * The members of the region's row that a path over the subquery's rows reads; undefined if it reads
 * a whole struct.
 */
function toRegionMembers(inner: BoundSelect, path: BoundPath): readonly string[] | undefined {
  const [name, ...others] = path.members;
  const isBare = inner.shape === 'bare';
  const projection = isBare
    ? inner.projections[0]
    : inner.projections.find((each) => each.name === name);
  if (projection?.expression.kind !== 'path') return undefined;
  return [...projection.expression.members, ...(isBare ? path.members : others)];
}
