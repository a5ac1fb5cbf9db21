// Descriptions: several entries at once.

import { WRITES } from '../../request/entry-operation.ts';
import { MAX_TRANSACTION_OPERATIONS } from '../../request/transaction-body.ts';
import {
  flag,
  inHeader,
  inQuery,
  json,
  type Operations,
  REASONS,
  ref,
  type Schema,
  withTag,
} from '../description.ts';
import { idempotencyKey } from '../parameters.ts';
import {
  arrayOf,
  closedObject,
  count,
  key,
  notOf,
  object,
  someText,
  text,
  timeToLive,
} from '../schema-parts.ts';

const region = { ...someText, maxLength: 255 };
const version = { type: 'integer', minimum: 1 };

const condition = {
  ...closedObject(
    {
      region,
      key,
      version: { ...version, description: 'The entry has this version.' },
      absent: { const: true, description: 'There is no such entry.' },
      present: { const: true, description: 'There is such an entry.' },
    },
    ['version', 'absent', 'present'],
  ),
  oneOf: [{ required: ['version'] }, { required: ['absent'] }, { required: ['present'] }],
};

const op = {
  ...text,
  enum: WRITES,
  default: 'put',
  description: '`create` needs the key to be absent, `replace` and `remove` to be present.',
};

/** Members of an operation besides its region. */
const operationMembers: Readonly<Record<string, Schema>> = {
  op,
  key,
  value: ref('Value'),
  'if-match': {
    description: 'The version that the entry must have, such as `42`; `"*"` for any.',
    ...notOf('object', 'array', 'boolean', 'null'),
  },
  ttl: {
    ...timeToLive,
    description: 'The time to live of the entry: seconds, or an ISO 8601 duration.',
  },
};

const OPTIONAL = ['op', 'value', 'if-match', 'ttl'];

const operation = closedObject(
  { region, ...operationMembers, op: { ...op, enum: [...WRITES, 'get'] } },
  OPTIONAL,
);

const bulkItem = closedObject(operationMembers, OPTIONAL);

const bulkSummary = object({
  succeeded: count,
  failed: count,
  sequence: {
    ...count,
    description: 'The last commit; the latest of the store when nothing was written.',
  },
  failures: arrayOf(
    object(
      {
        index: count,
        line: { type: 'integer', minimum: 1 },
        key: text,
        status: { type: 'integer' },
        code: text,
        message: text,
      },
      ['line', 'key', 'message'],
    ),
  ),
});

const prefer = inHeader(
  'Prefer',
  '`tx=rollback`: runs and answers everything, then rolls back.',
  text,
);

const result = {
  type: ['object', 'null'],
  required: ['version'],
  properties: { version, value: ref('Value') },
};

export const transactionOperations: Operations = withTag('Entries', {
  bulk: {
    summary: 'Write many entries of a region',
    description:
      'Any number, as lines (NDJSON) or as an array. Each succeeds or fails on its own; they are ' +
      'written in batches, in their order. The body may be compressed (`Content-Encoding: gzip`, ' +
      '`zstd`).',
    parameters: [
      flag('atomic', '`true`: all of them, as one commit, or none. Their number is limited.'),
      inQuery(
        'results',
        '`stream`: 207 at once, one line per item as it is written, the summary last.',
        { ...text, enum: ['summary', 'stream'], default: 'summary' },
      ),
      {
        ...idempotencyKey,
        description: `${idempotencyKey.description} Only with \`atomic=true\`.`,
      },
    ],
    body: {
      description: 'One operation a line, or an array of operations.',
      schema: {},
      mediaTypes: {
        'application/json': {
          schema: arrayOf(bulkItem),
          examples: {
            'two entries': [
              { key: 'a', value: {} },
              { op: 'remove', key: 'none' },
            ],
          },
        },
        'application/x-ndjson': { schema: bulkItem },
      },
    },
    answers: {
      200: json('All of them were written, and are on disk.', bulkSummary, {
        headers: ['Idempotent-Replayed'],
        example: { succeeded: 2, failed: 0, sequence: 42, failures: [] },
      }),
      207: {
        description: 'Some failed: the first 1,000 failures. Or, with `results=stream`, lines.',
        content: {
          'application/json': { schema: bulkSummary },
          'application/x-ndjson': { schema: { type: 'string', description: 'One result a line.' } },
        },
      },
    },
    errors: {
      400: 'The array is not complete, or an item of an atomic load is invalid. Unless the load is atomic, earlier items were written: see `succeeded`, `failed` and `sequence`.',
      404: REASONS.noRegion,
      409: 'Atomic: an item cannot be applied; `index` names it.',
      412: 'Atomic: the `if-match` of an item does not hold; `index` names it.',
      415: 'Neither NDJSON nor JSON, or a `Content-Encoding` that is not supported.',
      422: REASONS.keyReused,
    },
  },
  transact: {
    summary: 'Do several operations as one commit',
    description:
      'Entries of any regions, all or nothing. Operations are applied in order; reads (`get`) see ' +
      'the state after the commit, wherever they are in the list. Each operation needs the permission for its entry.',
    parameters: [prefer, idempotencyKey],
    body: {
      description: 'Conditions, and what to do when they hold.',
      schema: closedObject(
        {
          if: { ...arrayOf(condition), maxItems: MAX_TRANSACTION_OPERATIONS },
          do: { ...arrayOf(operation), maxItems: MAX_TRANSACTION_OPERATIONS },
        },
        ['if'],
      ),
      examples: {
        'read two regions': {
          do: [
            { op: 'get', region: 'items', key: 'SKU-0001' },
            { op: 'get', region: 'customers', key: '1001' },
          ],
        },
      },
    },
    answers: {
      200: json(
        'Done, and on disk: one result per operation, `null` for a key that `get` does not find.',
        object({ sequence: { ...count, description: 'The commit.' }, results: arrayOf(result) }),
        {
          headers: ['Idempotent-Replayed', 'Preference-Applied'],
          example: { sequence: 42, results: [{ version: 42 }, null] },
        },
      ),
    },
    errors: {
      400: 'Not a transaction; the message names the element.',
      404: 'A region does not exist.',
      409: 'A condition or the requirement of an operation does not hold: see `in`, `index` and `kind`. Or the first request with this key is still running.',
      422: REASONS.keyReused,
    },
  },
});
