// Runs subqueries before their query, so that the query can run over columns. An uncorrelated
// subquery runs once, and its rows replace it. A subquery that is correlated by equalities runs
// once for all outer rows. EXISTS of a subquery with one such equality becomes a semi-join. A
// subquery in FROM that only filters a region is merged into the query.

import type { List, Value } from '../../../../value/value.ts';
import { forEachChild, mapChildren } from '../../../bind/bound-children.ts';
import type {
  BoundExpression,
  BoundFunction,
  BoundQuery,
  BoundSelect,
} from '../../../bind/bound-query.ts';
import { EXISTS } from '../../../functions/operator-functions.ts';
import { decorrelate, toSemiJoin } from './decorrelate.ts';
import { mergeFrom } from './merge-from.ts';

/** Runs a subquery that depends on no outer row; undefined if it fails or gives too many rows. */
type RunSubquery = (select: BoundSelect) => Promise<List | undefined>;

/**
 * The query with the rows of its subqueries in their place; the same query if it has none. A
 * subquery that fails stays, because a failure counts only if its value is used. If the new query
 * fails, the original has to run, because it may not fail.
 */
export async function foldSubqueries(query: BoundQuery, run: RunSubquery): Promise<BoundQuery> {
  const body = query.body.kind === 'select' ? mergeFrom(query.body) : query.body;
  const results = new Map<BoundExpression, BoundExpression>();
  for (const node of findSubqueries(body)) {
    const result = await (node.kind === 'select' ? runSubquery(node, run) : runExists(node, run));
    if (result !== undefined) results.set(node, result);
  }
  if (results.size === 0) return body === query.body ? query : { ...query, body };
  const replace = (node: BoundExpression): BoundExpression =>
    results.get(node) ?? mapChildren(node, replace);
  return { ...query, body: mapChildren(body, replace) };
}

/** Outermost first; a subquery that has to stay may contain others that can be replaced. */
function findSubqueries(body: BoundExpression): readonly (BoundSelect | BoundFunction)[] {
  const found: (BoundSelect | BoundFunction)[] = [];
  const visit = (node: BoundExpression): void => {
    if (node.kind === 'select' && isSeparable(node)) found.push(node);
    else if (node.kind === 'function' && semiJoinOf(node) !== undefined) found.push(node);
    else forEachChild(node, visit);
  };
  forEachChild(body, visit);
  return found;
}

function isSeparable(select: BoundSelect): boolean {
  return select.outerDepths.length === 0 || decorrelate(select) !== undefined;
}

function semiJoinOf({
  definition,
  arguments: [operand],
}: BoundFunction): ReturnType<typeof toSemiJoin> {
  if (definition !== EXISTS || operand?.kind !== 'select') return undefined;
  return operand.outerDepths.length === 0 ? undefined : toSemiJoin(operand);
}

/**
 * `EXISTS (…)` as `key IN (…)`. A subquery that cannot run that way may still run once for all
 * rows.
 */
async function runExists(
  node: BoundFunction,
  run: RunSubquery,
): Promise<BoundExpression | undefined> {
  const semiJoin = semiJoinOf(node);
  const [operand] = node.arguments;
  if (semiJoin === undefined || operand?.kind !== 'select') return undefined;
  const keys = await run(semiJoin.select);
  if (keys === undefined) {
    const rows = isSeparable(operand) ? await runSubquery(operand, run) : undefined;
    return rows && { ...node, arguments: [rows] };
  }
  const collection: BoundExpression = { kind: 'literal', value: keys, span: operand.span };
  return { kind: 'in', value: semiJoin.outerKey, collection, span: node.span };
}

async function runSubquery(
  select: BoundSelect,
  run: RunSubquery,
): Promise<BoundExpression | undefined> {
  const { span } = select;
  if (select.outerDepths.length === 0) {
    const value: Value | undefined = await run(select);
    return value && { kind: 'literal', value, span };
  }
  const parts = decorrelate(select);
  const found = parts && (await run(parts.select));
  if (parts === undefined || found === undefined) return undefined;
  const { outerKeys: keys, otherwise } = parts;
  return { kind: 'rows-by-key', keys, rows: parts.rowsByKey(found), otherwise, span };
}
