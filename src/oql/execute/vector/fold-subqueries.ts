// Subqueries that depend on no outer row, taken out of a query: each is run once by the reference
// evaluator, and its rows take its place as a constant list. What is left may run over columns.

import type { Value } from '../../../value/value.ts';
import { mapChildren } from '../../bind/bound-children.ts';
import type { BoundExpression, BoundQuery, BoundSelect } from '../../bind/bound-query.ts';
import { isRowFailure } from '../environment.ts';
import { executeReference } from '../execute-reference.ts';
import type { QuerySource } from '../query-source.ts';
import type { RunContext } from '../run-context.ts';

/**
 * The query without its uncorrelated subqueries; undefined if there are none, or if one fails:
 * a failure counts only where its value is used, which the reference evaluator decides.
 */
export async function foldSubqueries(
  query: BoundQuery,
  source: QuerySource,
  context: RunContext,
): Promise<BoundQuery | undefined> {
  if (query.body.kind !== 'select') return undefined;
  const found = findSubqueries(query.body);
  if (found.length === 0) return undefined;
  const results = new Map<BoundExpression, Value>();
  const begun = context.now();
  for (const select of found) {
    const left = context.timeoutMs && Math.max(1, context.timeoutMs - (context.now() - begun));
    const rows = await runSubquery(query, select, source, { ...context, timeoutMs: left });
    if (rows === undefined) return undefined;
    results.set(select, rows);
  }
  const replace = (node: BoundExpression): BoundExpression => {
    const value = results.get(node);
    if (value !== undefined) return { kind: 'literal', value, span: node.span };
    return mapChildren(node, replace);
  };
  return { ...query, body: mapChildren(query.body, replace) };
}

/** Only whole lists are taken out: a subquery in FROM gives rows of its own kind. */
function findSubqueries(select: BoundSelect): readonly BoundSelect[] {
  const found: BoundSelect[] = [];
  const visit = (node: BoundExpression): BoundExpression => {
    if (node.kind !== 'select') return mapChildren(node, visit);
    if (node.outerDepths.length === 0) found.push(node);
    return node;
  };
  const sources = new Set<BoundExpression>(select.iterators.map(({ source }) => source));
  mapChildren(select, (child) => (sources.has(child) ? child : visit(child)));
  return found;
}

async function runSubquery(
  query: BoundQuery,
  select: BoundSelect,
  source: QuerySource,
  context: RunContext,
): Promise<readonly Value[] | undefined> {
  const rows: Value[] = [];
  try {
    const subquery = { ...query, body: select, regions: select.regions };
    for await (const batch of executeReference(subquery, source, context)) rows.push(...batch);
    return rows;
  } catch (error) {
    if (isRowFailure(error)) return undefined;
    throw error;
  }
}
