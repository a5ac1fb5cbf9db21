// The data plane of the specification: named queries, and running queries.

import { badParameter, notAcceptable } from '../errors.ts';
import { accepts } from '../request/accept.ts';
import { parseFlag, parseQueryText, parseTimeout } from '../request/parameters.ts';
import type { QueryString } from '../request/query-string.ts';
import { nameOfSegment, type Parse, type RoutedRequest } from '../request/routed-request.ts';
import { JSON_TYPE, TEXT_TYPE } from '../response/api-response.ts';
import type { CreateQuery, QueryRun, RunAdhocQuery, RunNamedQuery, UpdateQuery } from './intent.ts';

/** Id and text come as parameters, or, where one of them is not given, in the body. */
export const parseCreateQuery: Parse<CreateQuery> = ({ query }) => ({
  kind: 'create-query',
  queryId: query.text('id') === undefined ? undefined : query.require('id'),
  oql: query.raw('q') === undefined ? undefined : requireQueryText(query),
  check: parseFlag(query, 'check'),
  isStrict: parseFlag(query, 'strict'),
});

/** Spec 4.9: the text comes in `q` alone; a body is ignored. */
export const parseUpdateQuery: Parse<UpdateQuery> = (request) => ({
  kind: 'update-query',
  queryId: nameOfSegment(request, 0),
  oql: requireQueryText(request.query),
  check: parseFlag(request.query, 'check'),
  isStrict: parseFlag(request.query, 'strict'),
});

/** Of a named query, by its id alone. */
export function ofQuery<K extends string>(
  kind: K,
): Parse<{ readonly kind: K; readonly queryId: string }> {
  return (request) => ({ kind, queryId: nameOfSegment(request, 0) });
}

/** Spec 4.8. */
export const parseRunNamedQuery: Parse<RunNamedQuery> = (request) => ({
  kind: 'run-named-query',
  queryId: nameOfSegment(request, 0),
  ...parseQueryRun(request),
});

export const parseRunAdhocQuery: Parse<RunAdhocQuery> = (request) => {
  const oql = parseQueryText(request.query);
  if (oql === undefined) throw badParameter('Query parameter q, the OQL text, is missing');
  return { kind: 'run-adhoc-query', oql, ...parseQueryRun(request) };
};

export const parsePostAdhocQuery: Parse<RunAdhocQuery> = (request) => ({
  kind: 'run-adhoc-query',
  oql: undefined,
  ...parseQueryRun(request),
});

/** With `explain=true` the plan instead of the result; `analyze=true` runs the query for it. */
function parseQueryRun({ headers, query }: RoutedRequest): QueryRun {
  const timeoutMs = parseTimeout(query);
  const isStrict = parseFlag(query, 'strict');
  const explain = parseFlag(query, 'explain');
  const analyze = parseFlag(query, 'analyze');
  if (analyze || explain) {
    const answer = analyze ? 'analyze' : 'estimate';
    return { timeoutMs, isStrict, answer, planFormat: planFormatOf(headers.accept) };
  }
  requireJson(headers.accept);
  return { timeoutMs, isStrict, answer: 'rows', planFormat: 'json' };
}

/** Text goes to a client that takes plain text and no JSON, or names plain text. */
function planFormatOf(accept: string | undefined): QueryRun['planFormat'] {
  if (accept === undefined || !accepts(accept, TEXT_TYPE)) return 'json';
  return accept.includes(TEXT_TYPE) || !accepts(accept, JSON_TYPE) ? 'text' : 'json';
}

/** The routes offer plain text too, but for plans alone. */
function requireJson(accept: string | undefined): void {
  if (accept !== undefined && !accepts(accept, JSON_TYPE)) throw notAcceptable(accept, [JSON_TYPE]);
}

function requireQueryText(query: QueryString): string {
  const oql = parseQueryText(query);
  if (oql === undefined || oql.trim() === '') {
    throw badParameter('Query parameter q, the OQL text, is missing');
  }
  return oql;
}
