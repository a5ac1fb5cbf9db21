// The data plane of the specification: named queries, and running queries.

import { badParameter, notAcceptable, unsupportedBodyType } from '../errors.ts';
import { accepts, requireForm } from '../request/accept.ts';
import { hasBody } from '../request/body.ts';
import { acceptQuery, mediaTypeOf, PARAMETER_TYPES, QUERY_TYPES } from '../request/body-types.ts';
import { refuseIdempotencyKey } from '../request/idempotency-key.ts';
import {
  parseFlag,
  parseLastLine,
  parseMoment,
  parseQueryText,
  parseTimeout,
} from '../request/parameters.ts';
import type { QueryString } from '../request/query-string.ts';
import { nameOfSegment, type Parse, type RoutedRequest } from '../request/routed-request.ts';
import { JSON_TYPE, PLAN_TYPE, ROW_TYPES, TEXT_TYPE } from '../response/media-types.ts';
import type {
  CreateQuery,
  IntentOf,
  PlanType,
  QueryOptions,
  RunAdhocQuery,
  RunNamedQuery,
  SafeQuery,
  UpdateQuery,
} from './intent.ts';

/** Repeats are detected without a key: the id exists already, or no longer. */
const NAMED_QUERIES = 'writes of named queries';

/** Id and text are parameters; one that is absent is in the body. */
export const parseCreateQuery: Parse<CreateQuery> = ({ headers, query }) => {
  refuseIdempotencyKey(headers, NAMED_QUERIES);
  return {
    kind: 'create-query',
    queryId: query.text('id') === undefined ? undefined : query.require('id'),
    oql: query.raw('q') === undefined ? undefined : requireQueryText(query),
    check: parseFlag(query, 'check'),
    isStrict: parseFlag(query, 'strict'),
  };
};

/** Spec 4.9: the text is in `q`; a body is ignored. */
export const parseUpdateQuery: Parse<UpdateQuery> = (request) => {
  refuseIdempotencyKey(request.headers, NAMED_QUERIES);
  return {
    kind: 'update-query',
    queryId: nameOfSegment(request, 0),
    oql: requireQueryText(request.query),
    check: parseFlag(request.query, 'check'),
    isStrict: parseFlag(request.query, 'strict'),
  };
};

export const parseDeleteQuery: Parse<IntentOf<'delete-query'>> = (request) => {
  refuseIdempotencyKey(request.headers, NAMED_QUERIES);
  return { kind: 'delete-query', queryId: nameOfSegment(request, 0) };
};

/** Spec 4.8. */
export const parseRunNamedQuery: Parse<RunNamedQuery> = (request) => ({
  kind: 'run-named-query',
  queryId: nameOfSegment(request, 0),
  ...parseQueryOptions(request),
});

export const parseRunAdhocQuery: Parse<RunAdhocQuery> = (request) => {
  const oql = parseQueryText(request.query);
  if (oql === undefined) throw badParameter('Query parameter q, the OQL text, is missing');
  return { kind: 'run-adhoc-query', oql, ...parseQueryOptions(request) };
};

export const parsePostAdhocQuery: Parse<RunAdhocQuery> = (request) => ({
  kind: 'run-adhoc-query',
  oql: undefined,
  ...parseQueryOptions(request),
});

/** RFC 10008: the same as POST, but safe; a client's mistakes get 4xx, and answers have a tag. */
export const parseQueryNamed: Parse<RunNamedQuery> = (request) => ({
  kind: 'run-named-query',
  queryId: nameOfSegment(request, 0),
  ...parseQueryOptions(request),
  safe: parseSafe(request, PARAMETER_TYPES),
});

export const parseQueryAdhoc: Parse<RunAdhocQuery> = (request) => ({
  kind: 'run-adhoc-query',
  oql: undefined,
  ...parseQueryOptions(request),
  safe: parseSafe(request, QUERY_TYPES),
});

/** The media type is checked only when there is a body; an empty body cannot be misread. */
function parseSafe(
  request: RoutedRequest,
  types: ReadonlyMap<string, SafeQuery['content']>,
): SafeQuery {
  const { headers } = request;
  const contentType = headers['content-type'];
  const isAbsent = contentType === undefined && !hasBody(request);
  const content = isAbsent ? 'json' : types.get(mediaTypeOf(contentType));
  if (content === undefined) throw unsupportedBodyType('QUERY', contentType, acceptQuery(types));
  return { ifNoneMatch: headers['if-none-match'], content };
}

/** With `explain=true` the plan instead of the result; `analyze=true` runs the query for it. */
function parseQueryOptions({ headers, query }: RoutedRequest): QueryOptions {
  const timeoutMs = parseTimeout(query);
  const at = parseMoment(query);
  const isStrict = parseFlag(query, 'strict');
  const explain = parseFlag(query, 'explain');
  const analyze = parseFlag(query, 'analyze');
  if (analyze || explain) {
    const answer = analyze ? 'analyze' : 'estimate';
    const planType = planTypeOf(headers.accept);
    return { timeoutMs, at, isStrict, answer, planType, form: 'json', end: 'none' };
  }
  // The route offers the types of plans too.
  const form = requireForm(headers.accept, ROW_TYPES);
  const end = parseLastLine(query, headers, form);
  return { timeoutMs, at, isStrict, answer: 'rows', planType: PLAN_TYPE, form, end };
}

/** The text form is for clients that accept plain text but not JSON, or name plain text. */
function planTypeOf(accept: string | undefined): PlanType {
  if (accept === undefined) return PLAN_TYPE;
  const takesText = accepts(accept, TEXT_TYPE);
  if (takesText && accept.includes(TEXT_TYPE)) return TEXT_TYPE;
  if (accepts(accept, PLAN_TYPE)) return PLAN_TYPE;
  if (accepts(accept, JSON_TYPE)) return JSON_TYPE;
  if (!takesText) throw notAcceptable(accept, [PLAN_TYPE, JSON_TYPE, TEXT_TYPE]);
  return TEXT_TYPE;
}

function requireQueryText(query: QueryString): string {
  const oql = parseQueryText(query);
  if (oql === undefined || oql.trim() === '') {
    throw badParameter('Query parameter q, the OQL text, is missing');
  }
  return oql;
}
