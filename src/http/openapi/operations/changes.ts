// Descriptions: changes of regions, as pages and as streams.

import { CHANGE_OPERATIONS } from '../../intent/parse-changes.ts';
import { SEQUENCE_PATTERN } from '../../request/commit-number.ts';
import { CHANGES, HEARTBEAT, WAIT } from '../../request/parameters.ts';
import {
  inHeader,
  inQuery,
  type OperationDescription,
  type Operations,
  type ParameterDescription,
  REASONS,
  ref,
} from '../description.ts';
import { keysParameter } from '../parameters.ts';
import { numberIn, someText, text } from '../schema-parts.ts';

const OPERATION = CHANGE_OPERATIONS.join('|');

const parameters: readonly ParameterDescription[] = [
  inQuery(
    'since',
    'Where to begin: after a sequence number, with `0` for everything still kept, with `now`, or ' +
      'at a time such as `2026-01-31T12:00:00Z`.',
    { type: 'string', default: 'now' },
    { example: '0' },
  ),
  inHeader(
    'Last-Event-ID',
    'The id of the last event received, which takes precedence over `since`; browsers send it.',
    { type: 'string', pattern: SEQUENCE_PATTERN },
  ),
  inQuery(
    'wait',
    'JSON: seconds to wait for a change when there is none.',
    numberIn('number', WAIT),
  ),
  inQuery(
    'limit',
    'JSON: the maximum number of changes in one answer. A commit is never split.',
    numberIn('integer', CHANGES),
    { example: 2 },
  ),
  inQuery(
    'include',
    'Whether changes come with the value that was put, and with `old`, the value before, where ' +
      'the region keeps its history.',
    { type: 'string', enum: ['value', 'old', 'value,old', 'none'], default: 'value' },
  ),
  inQuery(
    'where',
    'An OQL condition on the value that was put, such as `value.total > 100`. A removal ' +
      'is passed on when the value it removed meets it, or is not kept.',
    someText,
  ),
  { ...keysParameter, description: 'Only changes of these keys, and of the region as a whole.' },
  inQuery('prefix', 'Only changes of keys with this prefix, and of the region as a whole.', text),
  inQuery('ops', 'Only these operations, with commas between them.', {
    type: 'string',
    pattern: `^(?:${OPERATION})(?:,(?:${OPERATION}))*$`,
  }),
  inQuery('heartbeat', 'Streams: seconds between heartbeats.', numberIn('number', HEARTBEAT)),
];

const example = {
  changes: [
    {
      sequence: 17,
      time: '2026-01-31T12:00:00.000Z',
      region: 'items',
      op: 'put',
      key: 'SKU-0001',
      version: 17,
      value: { sku: 'SKU-0001' },
    },
  ],
  next: 17,
};

const errors = {
  400: 'A parameter or the condition is invalid, or `include=old` is given and no history is kept.',
  404: REASONS.noRegion,
  410: 'Changes after `since` are no longer kept; `oldest` and `latest` say what is.',
  503: 'Too many feeds are open, or the service is not ready.',
} as const;

function describe(summary: string, more: readonly ParameterDescription[]): OperationDescription {
  return {
    tag: 'Changes',
    summary,
    description:
      'Puts, removals and changes of whole regions, in commit order. `Accept` ' +
      'decides the form: `application/json` is one page, `text/event-stream` and ' +
      '`application/x-ndjson` are streams that continue until either side ends them. Every position given ' +
      '(`next`, `id`) is the end of a commit, and safe to resume from.',
    parameters: [...more, ...parameters],
    answers: {
      200: {
        description: 'The changes.',
        headers: ['Link'],
        content: {
          'application/json': { schema: ref('ChangePage'), example },
          'text/event-stream': { schema: { type: 'string' } },
          'application/x-ndjson': { schema: { type: 'string' } },
        },
      },
    },
    errors,
  };
}

export const changeOperations: Operations = {
  readChanges: describe('Follow the changes of several regions', [
    inQuery(
      'regions',
      'Names of regions, with commas between them; all readable ones when absent.',
      someText,
      { example: 'items,orders' },
    ),
  ]),
  readRegionChanges: describe('Follow the changes of a region', []),
};
