// Runs subqueries before their query, so that the query can run over columns. An uncorrelated
// subquery runs once, and its rows replace it. A subquery that is correlated by equalities runs
// once for all outer rows. EXISTS of a subquery with one such equality becomes a semi-join. A
// subquery in FROM that only filters a region is merged into the query.

import type { List } from '../../../../value/value.ts';
import { forEachChild, mapChildren } from '../../../bind/bound-children.ts';
import type {
  BoundExpression,
  BoundFunction,
  BoundQuery,
  BoundSelect,
} from '../../../bind/bound-query.ts';
import { leftJoinsOf } from '../../../bind/left-join.ts';
import { EXISTS } from '../../../functions/operator-functions.ts';
import { decorrelate, toSemiJoin } from './decorrelate.ts';
import { mergeFrom } from './merge-from.ts';

/** Runs a subquery that depends on no outer row; undefined if it fails or gives too many rows. */
type RunSubquery = (select: BoundSelect) => Promise<List | undefined>;

/**
 * The query with the rows of its subqueries in their place; the same query if it has none. A
 * subquery that fails stays, because a failure counts only if its value is used. If the new query
 * fails, the original has to run, because it may not fail. LEFT JOINs of regions are kept while the
 * query may run over columns.
 */
export async function foldSubqueries(
  query: BoundQuery,
  run: RunSubquery,
  leftJoins: 'kept' | 'folded',
): Promise<BoundQuery> {
  const body = query.body.kind === 'select' ? mergeFrom(query.body) : query.body;
  const kept = new Set<BoundExpression>(leftJoins === 'kept' ? leftJoinsOf(body) : []);
  const results = new Map<BoundExpression, BoundExpression>();
  for (const [node, fold] of findFolds(body, kept)) {
    const result = await fold(run);
    if (result !== undefined) results.set(node, result);
  }
  if (results.size === 0) return body === query.body ? query : { ...query, body };
  const replace = (node: BoundExpression): BoundExpression =>
    results.get(node) ?? mapChildren(node, replace);
  return { ...query, body: mapChildren(body, replace) };
}

/** Runs a subquery, and returns what replaces it; undefined if it stays. */
type FoldSubquery = (run: RunSubquery) => Promise<BoundExpression | undefined>;

/** Outermost first; a subquery that has to stay may contain others that can be replaced. */
function findFolds(
  body: BoundExpression,
  kept: ReadonlySet<BoundExpression>,
): ReadonlyMap<BoundExpression, FoldSubquery> {
  const folds = new Map<BoundExpression, FoldSubquery>();
  const visit = (node: BoundExpression): void => {
    const fold = kept.has(node) ? undefined : foldOf(node);
    if (fold !== undefined) folds.set(node, fold);
    else forEachChild(node, visit);
  };
  forEachChild(body, visit);
  return folds;
}

function foldOf(node: BoundExpression): FoldSubquery | undefined {
  if (node.kind === 'select') return foldSelect(node);
  return node.kind === 'function' && node.definition === EXISTS ? foldExists(node) : undefined;
}

/** `EXISTS (…)` as `key IN (…)`; otherwise the subquery may still run once for all rows. */
function foldExists(node: BoundFunction): FoldSubquery | undefined {
  const [operand] = node.arguments;
  if (operand?.kind !== 'select' || operand.outerDepths.length === 0) return undefined;
  const semiJoin = toSemiJoin(operand);
  if (semiJoin === undefined) return undefined;
  return async (run) => {
    const keys = await run(semiJoin.select);
    // The subquery stays: run once for all rows, it would fail in the same way.
    if (keys === undefined) return undefined;
    const collection: BoundExpression = { kind: 'literal', value: keys, span: operand.span };
    return { kind: 'in', value: semiJoin.outerKey, collection, span: node.span };
  };
}

function foldSelect(select: BoundSelect): FoldSubquery | undefined {
  const { span } = select;
  if (select.outerDepths.length === 0) {
    return async (run) => {
      const value = await run(select);
      return value && { kind: 'literal', value, span };
    };
  }
  const parts = decorrelate(select);
  if (parts === undefined) return undefined;
  const { outerKeys: keys, otherwise } = parts;
  return async (run) => {
    const rows = await run(parts.select);
    return rows && { kind: 'rows-by-key', keys, rows: parts.rowsByKey(rows), otherwise, span };
  };
}
