// Live queries: the query, its parameters, the form, and the sequence to resume at.

import { badParameter } from '../errors.ts';
import { requireForm } from '../request/accept.ts';
import { parseHeartbeatMs, parseLastEventId, parseQueryText } from '../request/parameters.ts';
import { nameOfSegment, type Parse, type RoutedRequest } from '../request/routed-request.ts';
import { parseUrlParameters } from '../request/url-parameters.ts';
import { STREAM_TYPES } from '../streams/stream-form.ts';
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
    form: requireForm(headers.accept, STREAM_TYPES),
    heartbeatMs: parseHeartbeatMs(query),
    resumeAt: parseLastEventId(headers['last-event-id']),
  };
}
