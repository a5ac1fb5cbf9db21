// Runs subqueries before their query, so that the query can run over columns. An uncorrelated
// subquery runs once, and its rows replace it. A subquery that is correlated by equalities runs
// once for all outer rows. EXISTS of a subquery with one such equality becomes a semi-join. A
// subquery in FROM that only filters a region is merged into the query. UNION, EXCEPT and INTERSECT
// of such rows are replaced by theirs.

import type { List } from '../../../../value/value.ts';
import { forEachChild, mapChildren } from '../../../bind/bound-children.ts';
import type {
  BoundExpression,
  BoundFunction,
  BoundQuery,
  BoundSelect,
} from '../../../bind/bound-query.ts';
import { leftJoinsOf } from '../../../bind/left-join.ts';
import { isSetOperation } from '../../../bind/result-columns.ts';
import { EXISTS } from '../../../functions/operator-functions.ts';
import { decorrelate, type FoldedSubquery, toSemiJoin } from './decorrelate.ts';
import { mergeFrom } from './merge-from.ts';

/**
 * The query with the rows of its subqueries in their place; the same query if it has none. `run`
 * gives undefined for a subquery that fails or has too many rows. It stays, because a failure counts
 * only if its value is used. If the new query fails, the original has to run, because it may not
 * fail. LEFT JOINs of regions are kept while the query may run over columns.
 */
export async function foldSubqueries(
  query: BoundQuery,
  run: (query: BoundSelect | BoundFunction) => Promise<List | undefined>,
  leftJoins: 'kept' | 'folded',
): Promise<BoundQuery> {
  const body = query.body.kind === 'select' ? mergeFrom(query.body) : query.body;
  const kept = new Set<BoundExpression>(leftJoins === 'kept' ? leftJoinsOf(body) : []);
  const folds = new Map<BoundExpression, FoldedSubquery>();
  // Outermost first; a subquery that has to stay may contain others that can be replaced.
  const visit = (node: BoundExpression): void => {
    const fold = kept.has(node) ? undefined : foldOf(node);
    if (fold !== undefined) folds.set(node, fold);
    else forEachChild(node, visit);
  };
  forEachChild(body, visit);
  const results = new Map<BoundExpression, BoundExpression>();
  for (const [node, { select, replace }] of folds) {
    const rows = await run(select);
    if (rows !== undefined) results.set(node, replace(rows));
  }
  if (results.size === 0) return body === query.body ? query : { ...query, body };
  return { ...query, body: await foldSetOperations(replaceParts(body, results), run) };
}

/** With the rows of each UNION, EXCEPT and INTERSECT of literals in its place, but for the body. */
async function foldSetOperations(
  body: BoundExpression,
  run: (query: BoundFunction) => Promise<List | undefined>,
): Promise<BoundExpression> {
  const operations: BoundFunction[] = [];
  const visit = (node: BoundExpression): void => {
    if (isSetOperation(node) && isConstant(node)) operations.push(node);
    else forEachChild(node, visit);
  };
  forEachChild(body, visit);
  if (operations.length === 0) return body;
  const results = new Map<BoundExpression, BoundExpression>();
  for (const node of operations) {
    const value = await run(node);
    if (value === undefined) continue;
    results.set(node, { kind: 'literal', value, span: node.span, operation: node });
  }
  return replaceParts(body, results);
}

function replaceParts(
  body: BoundExpression,
  results: ReadonlyMap<BoundExpression, BoundExpression>,
): BoundExpression {
  const change = (node: BoundExpression): BoundExpression =>
    results.get(node) ?? mapChildren(node, change);
  return mapChildren(body, change);
}

function isConstant(node: BoundExpression): boolean {
  if (node.kind === 'literal') return true;
  return isSetOperation(node) && node.arguments.every(isConstant);
}

function foldOf(node: BoundExpression): FoldedSubquery | undefined {
  const { span } = node;
  if (node.kind === 'select') {
    if (node.outerDepths.length > 0) return decorrelate(node);
    return { select: node, replace: (value) => ({ kind: 'literal', value, span }) };
  }
  if (node.kind !== 'function' || node.definition !== EXISTS) return undefined;
  const [operand] = node.arguments;
  const isCorrelated = operand?.kind === 'select' && operand.outerDepths.length > 0;
  // Otherwise the subquery may still run once for all rows.
  return isCorrelated ? toSemiJoin(operand, span) : undefined;
}
