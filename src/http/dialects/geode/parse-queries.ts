// Requests about queries and functions, from Geode's form to intents.

import type { IntentOf } from '../../intent/intent.ts';
import { decodePart } from '../../request/decode-part.ts';
import type { Parse, RoutedRequest } from '../../request/routed-request.ts';
import type {
  GeodeCreateQuery,
  GeodeRunAdhocQuery,
  GeodeRunNamedQuery,
  GeodeUpdateQuery,
} from './geode-intent.ts';
import { requireJsonAnswer } from './negotiation.ts';
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

export const parseListQueries: Parse<IntentOf<'list-queries'>> = ({ headers }) => {
  requireJsonAnswer(headers);
  return { kind: 'list-queries' };
};

export const parseCreateQuery: Parse<GeodeCreateQuery> = ({ query }) => {
  const queryId = textParameter(query, 'id');
  if (queryId === undefined) throw missingParameter('id', 'String');
  return { kind: 'create-query', queryId, oql: queryText(query), check: false, isStrict: false };
};

export const parseUpdateQuery: Parse<GeodeUpdateQuery> = (request) => ({
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

export const parseRunNamedQuery: Parse<GeodeRunNamedQuery> = (request) => {
  requireJsonAnswer(request.headers);
  return { kind: 'run-named-query', queryId: decodeAgain(queryIdOf(request)), ...ROWS };
};

export const parseRunAdhocQuery: Parse<GeodeRunAdhocQuery> = ({ headers, query }) => {
  requireJsonAnswer(headers);
  const oql = textParameter(query, 'q');
  if (oql === undefined) throw missingParameter('q', 'String');
  return { kind: 'run-adhoc-query', oql: decodeAgain(oql), ...ROWS };
};

export const parseListFunctions: Parse<IntentOf<'list-functions'>> = ({ headers }) => {
  requireJsonAnswer(headers);
  return { kind: 'list-functions' };
};

export const parseRunFunction: Parse<IntentOf<'run-function'>> = ({ headers, segments }) => {
  requireJsonAnswer(headers);
  return { kind: 'run-function', functionId: decodePart(segments[0] ?? '') };
};

/** `adhoc` has its own routes, but only GET treats it differently from other ids. */
function queryIdOf({ segments }: RoutedRequest): string {
  return segments[0] === undefined ? 'adhoc' : decodePart(segments[0]);
}

/** Decoded twice; empty where the text has to be in the body. */
function queryText(query: RoutedRequest['query']): string {
  const given = textParameter(query, 'q');
  return hasText(given) ? decodeAgain(given) : '';
}
