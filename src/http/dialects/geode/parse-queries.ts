// Requests about queries and functions, from Geode's form to intents.

import type { IntentOf, RunNamedQuery, UpdateQuery } from '../../intent/intent.ts';
import { decodePart } from '../../request/decode-part.ts';
import type { Parse, RoutedRequest } from '../../request/routed-request.ts';
import type { GeodeCreateQuery, GeodeRunAdhocQuery } from './geode-intent.ts';
import { hasText, textParameter } from './parameters.ts';
import { missingParameter } from './parse-entries.ts';
import { decodeAgain } from './url-decoding.ts';

const ROWS = {
  timeoutMs: undefined,
  isStrict: false,
  answer: 'rows',
  planType: 'application/json',
  form: 'json',
  end: 'none',
} as const;

export const parseCreateQuery: Parse<GeodeCreateQuery> = ({ query }) => {
  const queryId = textParameter(query, 'id');
  if (queryId === undefined) throw missingParameter('id', 'String');
  return { kind: 'create-query', queryId, oql: queryText(query), check: false, isStrict: false };
};

export const parseUpdateQuery: Parse<UpdateQuery> = (request) => ({
  kind: 'update-query',
  queryId: queryIdOf(request),
  oql: queryText(request.query),
  check: false,
  isStrict: false,
});

export const parseDeleteQuery: Parse<IntentOf<'delete-query'>> = (request) => ({
  kind: 'delete-query',
  queryId: queryIdOf(request),
});

export const parseRunNamedQuery: Parse<RunNamedQuery> = (request) => ({
  kind: 'run-named-query',
  queryId: decodeAgain(queryIdOf(request)),
  ...ROWS,
});

export const parseRunAdhocQuery: Parse<GeodeRunAdhocQuery> = ({ query }) => {
  const oql = textParameter(query, 'q');
  if (oql === undefined) throw missingParameter('q', 'String');
  return { kind: 'run-adhoc-query', oql: decodeAgain(oql), ...ROWS };
};

export const parseRunFunction: Parse<IntentOf<'run-function'>> = ({ segments }) => ({
  kind: 'run-function',
  functionId: decodePart(segments[0] ?? ''),
});

/** `adhoc` has its own routes, but only GET treats it differently from other ids. */
function queryIdOf({ segments }: RoutedRequest): string {
  return segments[0] === undefined ? 'adhoc' : decodePart(segments[0]);
}

/** Decoded twice; empty where the text has to be in the body. */
function queryText(query: RoutedRequest['query']): string {
  const text = textParameter(query, 'q');
  return hasText(text) ? decodeAgain(text) : '';
}
