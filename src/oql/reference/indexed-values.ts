// The indexed values of one entry, as a query would compute them, for callers that need them when
// the entry is written.

import { parseJson } from '../../value/json-parse.ts';
import { isAbsent, type Value } from '../../value/value.ts';
import type { IndexQuery } from '../bind/bind-index.ts';
import { regionSourceOf } from '../bind/region-source.ts';
import { notSupported, OqlError, wholeQuery } from '../errors.ts';
import { compileSelect } from './compile-query.ts';
import { createEnvironment, tryEvaluate } from './environment.ts';

/** Undefined where one of the values is null or missing, or cannot be computed. */
export type IndexedValues = (key: string, value: string) => readonly Value[] | undefined;

/**
 * Throws an OqlError for an index that has any number of values of an entry. One that reads a region
 * or has a subquery was refused before, because no query could use it (`describeIndexed`).
 */
export function compileIndexedValues({ mapKeys, query, select }: IndexQuery): IndexedValues {
  const { projections } = compileSelect(query);
  const [source, second] = select.iterators;
  const isOfValues = regionSourceOf(source?.source)?.view === 'values';
  if (!isOfValues || second !== undefined || mapKeys !== undefined) {
    const what = 'A unique index on keys, on items of lists or on members of maps';
    throw notSupported(wholeQuery(query.text), what);
  }
  return (key, value) => {
    const environment = createEnvironment([], new Map());
    environment.rows[select.depth] = [parseJson(value)];
    environment.keys[select.depth] = [key];
    const values: Value[] = [];
    for (const { evaluate } of projections) {
      const indexed = tryEvaluate(evaluate, environment);
      if (indexed instanceof OqlError || isAbsent(indexed)) return undefined;
      values.push(indexed);
    }
    return values;
  };
}
