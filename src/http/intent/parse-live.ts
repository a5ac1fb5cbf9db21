// Live queries: the query, its parameters, the form, and the sequence to resume at.

import { badParameter, notAcceptable } from '../errors.ts';
import { accepts } from '../request/accept.ts';
import { preferredType } from '../request/negotiation.ts';
import { parseQueryText } from '../request/parameters.ts';
import { nameOfSegment, type Parse, type RoutedRequest } from '../request/routed-request.ts';
import { parseHeartbeatMs, parseLastEventId } from '../request/stream-parameters.ts';
import { parseUrlParameters } from '../request/url-parameters.ts';
import { STREAM_TYPES, type StreamForm } from '../streams/stream-form.ts';
import type { FollowAdhocQuery, FollowNamedQuery, LiveAnswer } from './intent.ts';

/** Query parameters that are not bind parameters. */
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
    heartbeatMs: parseHeartbeatMs(query),
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
