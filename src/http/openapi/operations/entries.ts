// Descriptions: entries by key.

import {
  type BodyDescription,
  empty,
  json,
  type OperationDescription,
  type ParameterDescription,
  ref,
} from '../description.ts';
import {
  ifMatch,
  ifNoneMatch,
  ifNoneMatchRead,
  ignoreMissingKey,
  keysParameter,
} from '../parameters.ts';

export type EntryOperation =
  | 'readEntries'
  | 'postEntry'
  | 'putEntries'
  | 'putEntriesByQuery'
  | 'deleteEntries';

const noRegion = 'The region does not exist.';
const preconditionFailed = 'The precondition does not hold; nothing was written.';

const kettle = {
  '@type': 'example.shop.CatalogueItem',
  sku: 'SKU-0001',
  name: 'Bamboo Kettle',
  price: 26.5,
};

const missingKeys = {
  schema: { anyOf: [{ type: 'string' }, ref('Error')] },
  example: 'Requested keys (SKU-9) do not exist in region (items)',
};

const operation: ParameterDescription = {
  name: 'op',
  in: 'query',
  description:
    'In any letter case. `PUT`: create or overwrite. `REPLACE`: all keys must exist. `CREATE`: no ' +
    'key may exist. `CAS`: one key, whose value must equal `@old`. Several keys are written all ' +
    'or none.',
  schema: { type: 'string', enum: ['PUT', 'REPLACE', 'CREATE', 'CAS'], default: 'PUT' },
};

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

/** Two paths, one operation. */
const put: Omit<OperationDescription, 'summary' | 'parameters'> = {
  tag: 'Entries',
  body: newValues,
  answers: {
    200: empty('Written, and on disk.', ['Location', 'ETag']),
    201: empty('`op=CREATE`: created, and on disk.', ['Location', 'ETag']),
  },
  errors: {
    400: {
      description: 'Not a value, not as many values as keys, or keys that must exist do not.',
      ...missingKeys,
    },
    404: 'The region does not exist, or for CAS the key.',
    409: {
      description:
        '`op=CREATE`: a key exists. `op=CAS`: the value is another; the body is the current value.',
      schema: { anyOf: [ref('Value'), ref('Error')] },
    },
    412: preconditionFailed,
  },
};

export const entryOperations: Readonly<Record<EntryOperation, OperationDescription>> = {
  readEntries: {
    tag: 'Entries',
    summary: 'Read entries by key',
    description: 'One value per key, in the order of the keys, all as of one moment.',
    parameters: [ignoreMissingKey, ifNoneMatchRead],
    answers: {
      200: json('The values.', ref('RegionData'), {
        headers: ['Content-Location', 'ETag'],
        example: { items: [kettle] },
      }),
      304: empty('Nothing has changed since `If-None-Match`.', ['Content-Location', 'ETag']),
    },
    errors: {
      400: {
        description: 'Keys do not exist: the body is a string that names them and the region.',
        ...missingKeys,
      },
      404: noRegion,
    },
  },
  postEntry: {
    tag: 'Entries',
    summary: 'Add an entry',
    parameters: [
      {
        name: 'key',
        in: 'query',
        description: 'The key of the entry; without it, a new unique one is made.',
        schema: { type: 'string', minLength: 1, maxLength: 1024 },
      },
      ifMatch,
      ifNoneMatch,
    ],
    body: { description: 'The value.', schema: ref('Value'), examples: { item: kettle } },
    answers: { 201: empty('Added, and on disk.', ['Location', 'ETag']) },
    errors: {
      404: noRegion,
      409: {
        description: 'The key exists; the body is the existing value.',
        schema: { anyOf: [ref('Value'), ref('Error')] },
        example: kettle,
      },
      412: preconditionFailed,
    },
  },
  putEntries: {
    ...put,
    summary: 'Write entries',
    parameters: [operation, ifMatch, ifNoneMatch],
  },
  putEntriesByQuery: {
    ...put,
    summary: 'Write entries, with the keys in a parameter',
    parameters: [
      { ...keysParameter, required: true, example: ['SKU-0001'] },
      operation,
      ifMatch,
      ifNoneMatch,
    ],
  },
  deleteEntries: {
    tag: 'Entries',
    summary: 'Remove entries',
    description: 'All of them, or none when one does not exist.',
    parameters: [ifMatch, ifNoneMatch],
    answers: { 200: empty('The entries are gone.') },
    errors: { 404: 'The region, or one of the keys, does not exist.', 412: preconditionFailed },
  },
};
