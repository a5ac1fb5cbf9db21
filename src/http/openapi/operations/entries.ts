// Descriptions: entries by key.

import { MAX_PATCH_OPERATIONS } from '../../request/body-types.ts';
import { WRITE_OPERATIONS } from '../../request/parameters.ts';
import {
  type BodyDescription,
  empty,
  type HeaderName,
  inHeader,
  inQuery,
  json,
  type OperationDescription,
  type Operations,
  REASONS,
  ref,
  withTag,
} from '../description.ts';
import {
  atParameter,
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  ifNoneMatchRead,
  ignoreMissingKey,
  keysParameter,
  oneKeyParameter,
  ttlParameter,
} from '../parameters.ts';
import { key, text } from '../schema-parts.ts';

/** A JSON Pointer (RFC 6901). */
const POINTER = '^(/([^~]|~[01])*)?$';

const kettle = {
  '@type': 'example.shop.CatalogueItem',
  sku: 'SKU-0001',
  name: 'Bamboo Kettle',
  price: 26.5,
  stock: 249,
  discontinued: false,
};

const missingKeys = {
  schema: { anyOf: [{ type: 'string' }, ref('Error')] },
  example: 'Requested keys (SKU-9) do not exist in region (items)',
};

const operation = inQuery(
  'op',
  'In any letter case. `PUT`: create or overwrite. `REPLACE`: all keys must exist. `CREATE`: no ' +
    'key may exist. `CAS`: one key, whose value must equal `@old`. Several keys are written all ' +
    'or none.',
  { type: 'string', enum: WRITE_OPERATIONS, default: 'PUT' },
);

const newValues: BodyDescription = {
  description:
    'The value of one key, an array of as many values as keys, or for CAS an object with the ' +
    'members `@old` and `@new`.',
  schema: ref('Value'),
  examples: {
    'one key': kettle,
    'two keys': [kettle, { ...kettle, sku: 'SKU-0002' }],
    CAS: { '@old': kettle, '@new': { ...kettle, price: 24.9 } },
  },
};

const WRITE_HEADERS: readonly HeaderName[] = ['Location', 'ETag', 'Idempotent-Replayed'];
const writeParameters = [ttlParameter, ifMatch, ifNoneMatch, idempotencyKey];

/** Two paths, one operation. */
const put: Omit<OperationDescription, 'tag' | 'summary' | 'parameters'> = {
  body: newValues,
  answers: {
    200: empty('Written, and on disk.', WRITE_HEADERS),
    201: empty('`op=CREATE`: created, and on disk.', WRITE_HEADERS),
  },
  errors: {
    400: {
      description:
        'The body is not a value or has not as many values as keys, or keys that must exist do not.',
      ...missingKeys,
    },
    404: 'The region does not exist; for CAS, the region or the key.',
    409: {
      description:
        '`op=CREATE`: a key exists. `op=CAS`: the value differs; the body is the current value.',
      schema: ref('Value'),
    },
    412: REASONS.preconditionFailed,
    422: REASONS.keyReused,
  },
};

const operations = {
  type: 'array',
  maxItems: MAX_PATCH_OPERATIONS,
  items: {
    type: 'object',
    required: ['op', 'path'],
    properties: {
      op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
      path: { type: 'string', pattern: POINTER },
      from: { type: 'string', pattern: POINTER },
      value: {},
    },
  },
};

/** Two paths, one operation. */
const patch: Omit<OperationDescription, 'tag' | 'parameters'> = {
  summary: 'Write part of an entry',
  description:
    'One key, in one atomic step. Parts that the patch does not change keep their text, byte for byte.',
  body: {
    description: 'A merge patch (RFC 7396) or a JSON Patch (RFC 6902).',
    schema: {},
    mediaTypes: {
      'application/merge-patch+json': {
        schema: { type: 'object' },
        examples: { price: { price: 26.5 } },
      },
      'application/json-patch+json': {
        schema: operations,
        examples: { price: [{ op: 'replace', path: '/price', value: 26.5 }] },
      },
    },
  },
  answers: {
    200: {
      description: 'Written, and on disk; with `Prefer: return=representation`, the new value.',
      headers: [...WRITE_HEADERS, 'Preference-Applied'],
      content: { 'application/json': { schema: ref('Value'), example: kettle } },
    },
  },
  errors: {
    400: 'Not a patch, not one key, or the patched value is not permitted.',
    404: 'The region or the key does not exist.',
    409: 'The patch cannot be applied: a path does not exist, or a test fails.',
    412: REASONS.preconditionFailed,
    422: REASONS.keyReused,
    415: {
      description: 'The media type is not one of `Accept-Patch`.',
      schema: ref('Error'),
      headers: ['Accept-Patch'],
    },
  },
};

const prefer = inHeader('Prefer', '`return=representation`: answer with the new value.', text);

export const entryOperations: Operations = withTag('Entries', {
  readEntries: {
    summary: 'Read entries by key',
    description: 'One value per key, in the order of the keys, all from one snapshot.',
    parameters: [ignoreMissingKey, ifNoneMatchRead, atParameter],
    answers: {
      200: json('The values.', ref('RegionData'), {
        headers: ['Content-Location', 'ETag', 'Expires'],
        example: { items: [kettle] },
      }),
      304: empty('Nothing has changed since `If-None-Match`.', ['Content-Location', 'ETag']),
    },
    errors: {
      400: {
        description: 'Keys do not exist: the body is a string that names them and the region.',
        ...missingKeys,
      },
      404: REASONS.noRegion,
      410: REASONS.momentGone,
    },
  },
  postEntry: {
    summary: 'Add an entry',
    parameters: [
      inQuery('key', 'The key of the entry; without it, the service generates one.', key),
      ...writeParameters,
    ],
    body: { description: 'The value.', schema: ref('Value'), examples: { item: kettle } },
    answers: { 201: empty('Added, and on disk.', WRITE_HEADERS) },
    errors: {
      404: REASONS.noRegion,
      409: {
        description: 'The key exists; the body is the existing value.',
        schema: ref('Value'),
        example: kettle,
      },
      412: REASONS.preconditionFailed,
      422: REASONS.keyReused,
    },
  },
  putEntries: {
    ...put,
    summary: 'Write entries',
    parameters: [operation, ...writeParameters],
  },
  putEntriesByQuery: {
    ...put,
    summary: 'Write entries, with the keys in a parameter',
    parameters: [
      { ...keysParameter, required: true, example: ['SKU-0001'] },
      operation,
      ...writeParameters,
    ],
  },
  patchEntry: {
    ...patch,
    parameters: [prefer, ...writeParameters],
  },
  patchEntryByQuery: {
    ...patch,
    parameters: [oneKeyParameter, prefer, ...writeParameters],
  },
  deleteEntries: {
    summary: 'Remove entries',
    description: 'All of them, or none when one does not exist.',
    parameters: [ifMatch, ifNoneMatch, idempotencyKey],
    answers: { 200: empty('The entries are gone.', ['Idempotent-Replayed']) },
    errors: {
      404: 'The region, or one of the keys, does not exist.',
      409: REASONS.keyInUse,
      412: REASONS.preconditionFailed,
      422: REASONS.keyReused,
    },
  },
});
