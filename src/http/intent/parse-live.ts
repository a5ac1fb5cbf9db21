// Live queries: which query, with which parameters, in which form, and from where on.

import { badParameter, notAcceptable } from '../errors.ts';
import { accepts } from '../request/accept.ts';
import { preferredType } from '../request/negotiation.ts';
import { parseQueryText } from '../request/parameters.ts';
import type { QueryString } from '../request/query-string.ts';
import { nameOfSegment, type Parse, type RoutedRequest } from '../request/routed-request.ts';
import { parseUrlParameters } from '../request/url-parameters.ts';
import { STREAM_TYPES, type StreamForm } from '../streams/stream-form.ts';
import type { FollowAdhocQuery, FollowNamedQuery, LiveAnswer } from './intent.ts';

const DEFAULT_HEARTBEAT_SECONDS = 15;
const LEAST_HEARTBEAT_SECONDS = 0.1;
const MAX_HEARTBEAT_SECONDS = 300;

/** Parameters that are no bind parameters. */
const OWN_PARAMETERS = ['heartbeat', 'pretty', 'q'];

export const parseFollowNamedQuery: Parse<FollowNamedQuery> = (request) => ({
  kind: 'follow-named-query',
  queryId: nameOfSegment(request, 0),
  parameters: parseUrlParameters(request.query, OWN_PARAMETERS),
  ...parseLiveAnswer(request),
});

export const parseFollowAdhocQuery: Parse<FollowAdhocQuery> = (request) => {
  const oql = parseQueryText(request.query);
  if (oql === undefined) throw badParameter('Query parameter q, the OQL text, is missing');
  const parameters = parseUrlParameters(request.query, OWN_PARAMETERS);
  return { kind: 'follow-adhoc-query', query: { oql, parameters }, ...parseLiveAnswer(request) };
};

export const parsePostLiveQuery: Parse<FollowAdhocQuery> = (request) => ({
  kind: 'follow-adhoc-query',
  query: undefined,
  ...parseLiveAnswer(request),
});

function parseLiveAnswer({ headers, query }: RoutedRequest): LiveAnswer {
  return {
    form: parseForm(headers.accept),
    heartbeatMs: 1000 * parseHeartbeat(query),
    resumeAt: parseLastEventId(headers['last-event-id']),
  };
}

/** Server-sent events where the client has no preference. */
function parseForm(accept: string | undefined): StreamForm {
  const { 'event-stream': events, ndjson } = STREAM_TYPES;
  const type = preferredType(accept, [events, ndjson]);
  if (!accepts(accept, type)) throw notAcceptable(accept ?? '', [events, ndjson]);
  return type === ndjson ? 'ndjson' : 'event-stream';
}

function parseHeartbeat(query: QueryString): number {
  const text = query.text('heartbeat');
  if (text === undefined) return DEFAULT_HEARTBEAT_SECONDS;
  const seconds = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds >= LEAST_HEARTBEAT_SECONDS && seconds <= MAX_HEARTBEAT_SECONDS) return seconds;
  throw badParameter(
    `heartbeat (${text}) must be a number of seconds from ${LEAST_HEARTBEAT_SECONDS} to ${MAX_HEARTBEAT_SECONDS}`,
  );
}

/** An id that a stream has given; without one, the client has no rows. */
function parseLastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  const sequence = typeof header === 'string' && /^\d{1,16}$/.test(header) ? Number(header) : NaN;
  if (Number.isSafeInteger(sequence)) return sequence;
  throw badParameter(`Last-Event-ID (${header}) must be the id of an event of this query`);
}
