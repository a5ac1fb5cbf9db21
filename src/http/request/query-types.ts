// The media types of queries in the body of QUERY.

import type { SafeQuery } from '../intent/intent.ts';

const OQL_TYPE = 'application/oql';

/** Of a text with its bind parameters, or of a text alone. */
export const QUERY_TYPES: ReadonlyMap<string, SafeQuery['content']> = new Map([
  ['application/json', 'json'],
  [OQL_TYPE, 'oql'],
]);

/** Of the bind parameters of a named query. */
export const PARAMETER_TYPES: ReadonlyMap<string, SafeQuery['content']> = new Map([
  ['application/json', 'json'],
]);

/** The value of `Accept-Query`. */
export function acceptQuery(types: ReadonlyMap<string, unknown>): string {
  return [...types.keys()].join(', ');
}
