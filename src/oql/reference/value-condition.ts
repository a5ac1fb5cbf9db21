// The WHERE of a query over one region, applied to single entries: a change feed tests each value
// that was written. No region is read.

import { parseJson } from '../../value/json-parse.ts';
import type { BoundQuery } from '../bind/bound-query.ts';
import { withQueryTime } from '../bind/parameters.ts';
import { readsRegion } from '../bind/references.ts';
import { notSupported, wholeQuery } from '../errors.ts';
import { compileSelect } from './compile-query.ts';
import { createEnvironment, tryEvaluate } from './environment.ts';
import { isKeptBy } from './match-rows.ts';

/** Whether the condition holds for a JSON text, at a time in milliseconds since 1970. */
export type ValueCondition = (key: string, value: string, queryTime: number) => boolean;

/**
 * The query comes from `bindCondition`. Throws an OqlError when it reads a region or has a subquery. A
 * value for which the condition fails, such as one of the wrong type, does not meet it.
 */
export function compileValueCondition(query: BoundQuery): ValueCondition {
  const select = compileSelect(query);
  const { bound, where } = select;
  if (where === undefined || bound.where === undefined) return () => true;
  if (readsRegion(bound.where)) {
    const what = 'A region or a subquery in the condition of a change feed';
    throw notSupported(wholeQuery(query.text), what);
  }
  return (key, value, queryTime) => {
    const parsed = parseJson(value);
    // Entries whose value is null are not rows.
    if (parsed === null) return false;
    const environment = createEnvironment(withQueryTime(query, [], queryTime), new Map());
    environment.rows[bound.depth] = [parsed];
    environment.keys[bound.depth] = [key];
    return tryEvaluate((each) => isKeptBy(where.evaluate(each), select), environment) === true;
  };
}
