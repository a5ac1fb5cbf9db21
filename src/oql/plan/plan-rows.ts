// The plan of a query that runs row by row: which entries it reads, and whether it sorts them.

import type { Value } from '../../value/value.ts';
import { someChild } from '../bind/bound-children.ts';
import type { BoundExpression, BoundQuery, BoundSelect } from '../bind/bound-query.ts';
import { readsRegion } from '../bind/references.ts';
import { regionSourceOf } from '../bind/region-source.ts';
import { neverFails, splitConjuncts } from '../columnar/conjuncts.ts';
import { isOpen } from './bounds.ts';
import { constantOf, intersect, lookupOf, subjectOf } from './lookup.ts';
import type { KeysNode, ReferenceNode } from './plan-node.ts';

export function planRows(query: BoundQuery, parameters: readonly Value[]): ReferenceNode {
  const input = findKeys(query, parameters);
  return { kind: 'reference', query: dropKeyOrder(query), input };
}

/**
 * `SELECT * FROM /orders.entries e ORDER BY e.key LIMIT 5`: entries are already in key order.
 * Without the sort, a query with LIMIT reads only the rows of its result. The same query if its
 * ORDER BY changes something.
 */
export function dropKeyOrder(query: BoundQuery): BoundQuery {
  const { body } = query;
  if (body.kind !== 'select' || !isInKeyOrder(body)) return query;
  return { ...query, body: { ...body, orderBy: [] } };
}

function isInKeyOrder(select: BoundSelect): boolean {
  const { orderBy, grouping, where, projections, distinct, shape } = select;
  const [key, second] = orderBy;
  if (key?.direction !== 'asc' || second !== undefined || grouping !== undefined) return false;
  if (distinct || shape === 'count' || !keyedRegion(select)?.isKey(key.expression)) return false;
  // Rows after the last one needed are not read, so none of them may fail.
  const isSafe = where === undefined || neverFails(where);
  return isSafe && projections.every(({ expression }) => neverFails(expression));
}

/**
 * The keys that a query over the keys or entries of one region can find, derived from its
 * conditions alone. For a row with any other key a condition is false, and so is WHERE: it need not
 * be read. Undefined if no condition is on the key, or the query reads more than one source.
 */
function findKeys({ body }: BoundQuery, parameters: readonly Value[]): KeysNode | undefined {
  if (body.kind !== 'select' || body.where === undefined) return undefined;
  const region = keyedRegion(body);
  if (region === undefined) return undefined;
  const lookups = splitConjuncts(body.where).flatMap((conjunct) => {
    const subject = LOOKED_UP.has(conjunct.kind) ? subjectOf(conjunct) : undefined;
    if (subject === undefined || !region.isKey(subject)) return [];
    return lookupOf(conjunct, (each) => constantOf(each, parameters)) ?? [];
  });
  // A subquery, or a region besides the one in FROM.
  const readsOthers = someChild({ ...body, iterators: [] }, readsRegion);
  if (lookups.length === 0 || readsOthers) return undefined;
  const ranges = intersect(lookups).possible.strings;
  return { kind: 'keys', region: region.name, ranges, areSingle: !ranges.some(isOpen) };
}

/** The region that a select reads alone, by its keys or entries, and whether a node is the key. */
function keyedRegion({ iterators, depth }: BoundSelect) {
  const [only, second] = iterators;
  const source = regionSourceOf(only?.source);
  if (source === undefined || source.view === 'values' || second !== undefined) return undefined;
  const isRow = (node: BoundExpression): boolean =>
    node.kind === 'path' && node.depth === depth && node.members.length === 0;
  const isKeyOfEntry = (node: BoundExpression): boolean => {
    if (node.kind === 'method') return node.name === 'getKey' && isRow(node.target);
    if (node.kind !== 'path' || node.depth !== depth) return false;
    return node.members.length === 1 && node.members[0] === 'key';
  };
  return { name: source.name, isKey: source.view === 'keys' ? isRow : isKeyOfEntry };
}

/** Conditions that may exclude keys; a key is never null or missing. */
const LOOKED_UP: ReadonlySet<BoundExpression['kind']> = new Set(['comparison', 'in', 'like']);
