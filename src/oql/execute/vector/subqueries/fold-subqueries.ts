// Subqueries taken out of a query, so that the rest may run over columns: one that depends on no
// outer row is run once and its rows take its place; one that is tied to outer rows by equalities is
// run once for all of them; one in FROM that only picks rows of a region becomes part of the query.

import type { List, Value } from '../../../../value/value.ts';
import { mapChildren } from '../../../bind/bound-children.ts';
import type { BoundExpression, BoundQuery, BoundSelect } from '../../../bind/bound-query.ts';
import { decorrelate } from './decorrelate.ts';
import { mergeFrom } from './merge-from.ts';

/** Runs a subquery that depends on no outer row; undefined if it fails or gives too many rows. */
type RunSubquery = (select: BoundSelect) => Promise<List | undefined>;

/**
 * The query without the subqueries that could be taken out; itself if there are none. A subquery
 * that fails stays: a failure counts only where its value is used. What the new query answers is
 * the answer; if it fails, the original has to be asked, which may not.
 */
export async function foldSubqueries(query: BoundQuery, run: RunSubquery): Promise<BoundQuery> {
  const body = query.body.kind === 'select' ? mergeFrom(query.body) : query.body;
  const results = new Map<BoundExpression, BoundExpression>();
  for (const select of findSubqueries(body)) {
    const result = await runSubquery(select, run);
    if (result !== undefined) results.set(select, result);
  }
  if (results.size === 0) return body === query.body ? query : { ...query, body };
  const replace = (node: BoundExpression): BoundExpression =>
    results.get(node) ?? mapChildren(node, replace);
  return { ...query, body: mapChildren(body, replace) };
}

/** Outermost first; inside one that cannot be taken out there may be others that can. */
function findSubqueries(body: BoundExpression): readonly BoundSelect[] {
  const found: BoundSelect[] = [];
  const visit = (node: BoundExpression): BoundExpression => {
    if (node.kind === 'select' && isSeparable(node)) found.push(node);
    else mapChildren(node, visit);
    return node;
  };
  mapChildren(body, visit);
  return found;
}

function isSeparable(select: BoundSelect): boolean {
  return select.outerDepths.length === 0 || decorrelate(select) !== undefined;
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
