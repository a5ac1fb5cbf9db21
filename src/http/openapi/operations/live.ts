// Descriptions: queries whose results are followed as they change.

import { SEQUENCE_PATTERN } from '../../request/commit-number.ts';
import { HEARTBEAT } from '../../request/parameters.ts';
import {
  inHeader,
  inQuery,
  type OperationDescription,
  type Operations,
  REASONS,
  ref,
  withTag,
} from '../description.ts';
import { queryText } from '../parameters.ts';
import { numberIn, someText } from '../schema-parts.ts';

const params = inQuery(
  'params',
  'All bind parameters, as the JSON body of a run. Or each placeholder is a ' +
    'query parameter of its own: `$1`, `$2`, …, or the name of a named one. A JSON number, `true`, ' +
    '`false`, `null` or a string in quotes is read as JSON; any other value is text.',
  someText,
  { example: '[1482]' },
);

const followedText = {
  ...queryText,
  example: "SELECT o.id, o.status FROM /orders o WHERE o.status = 'placed'",
};

const heartbeat = inQuery(
  'heartbeat',
  'Seconds between heartbeats while nothing changes.',
  numberIn('number', HEARTBEAT),
);

const lastEventId = inHeader(
  'Last-Event-ID',
  'The id of the last event received; browsers send it. Only the difference is sent if it is ' +
    'known, else a new snapshot with `"reset": true`.',
  { type: 'string', pattern: SEQUENCE_PATTERN },
);

const DESCRIPTION =
  'A stream of events: `snapshot` with rows, in pieces; `ready` after the last of them; then ' +
  '`enter`, `update` and `leave` as rows change. `id` is the key of the entry, the list of keys for a ' +
  'join, the list of group values for groups. Deltas of one `sequence` belong together. The stream ' +
  'continues until either side ends it; one that fails ends with an event `failed`. In ' +
  '`application/x-ndjson` the name of the event is the member `event`.';

const answers: OperationDescription['answers'] = {
  200: {
    description: 'The events, in the form that `Accept` selects; server-sent events by default.',
    content: {
      'text/event-stream': { schema: { type: 'string' } },
      'application/x-ndjson': { schema: { type: 'string' } },
    },
  },
};

const errors = {
  400: 'The text, a name in it, or a bind parameter is wrong; `code` and `position` say how.',
  413: 'The result has more rows than a live query may hold.',
  422: 'The query fails on an entry.',
  503: 'Too many live queries are open, its run took too long, or the service is not ready.',
} as const;

export const liveOperations: Operations = withTag('Queries', {
  followNamedQuery: {
    summary: 'Follow the result of a named query',
    description: DESCRIPTION,
    parameters: [params, heartbeat, lastEventId],
    takesPlaceholders: true,
    answers,
    errors: { ...errors, 404: REASONS.noQuery },
  },
  followAdhocQuery: {
    summary: 'Follow the result of a query given as text',
    description: DESCRIPTION,
    parameters: [followedText, { ...params, example: '[]' }, heartbeat, lastEventId],
    takesPlaceholders: true,
    answers,
    errors,
  },
  postLiveQuery: {
    summary: 'Follow the result of a query given as text, with bind parameters',
    description: DESCRIPTION,
    parameters: [heartbeat, lastEventId],
    body: {
      description: 'The query and its bind parameters.',
      schema: ref('AdhocQuery'),
      examples: {
        'a customer': {
          oql: 'SELECT o.id, o.status FROM /orders o WHERE o.customerId = $1',
          params: [1482],
        },
      },
    },
    answers,
    errors,
  },
});
