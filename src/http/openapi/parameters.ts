// Parameters that several operations share, and those of paths by name.

import { flag, inHeader, inQuery, type ParameterDescription, type Schema } from './description.ts';
import { key, someText, text } from './schema-parts.ts';

export interface PathParameterDescription {
  readonly description: string;
  readonly schema: Schema;
  readonly example: string;
  /** The name of something that does not exist: the example for DELETE. */
  readonly absent: string;
}

const name = { type: 'string', minLength: 1, maxLength: 255 };

/** With the default of `limits.keys-per-request`. */
const keyList = { type: 'array', items: key, minItems: 1, maxItems: 1000 };

/** The description of each `{…}` in the route table. */
export const pathParameters: Readonly<Record<string, PathParameterDescription>> = {
  region: {
    description: 'Name of the region.',
    schema: name,
    example: 'items',
    absent: 'no-such-region',
  },
  keys: {
    description:
      'One key, or several with commas between them. A comma or slash that belongs to a key is ' +
      'percent-encoded; a client that encodes every comma sends one key, and names several with ' +
      '`?keys=`. A region has the sub-resources `keys`, `_bulk`, `_changes` and `_history`, so ' +
      'these keys need `?keys=` too.',
    schema: { type: 'string', minLength: 1 },
    example: 'SKU-0001',
    absent: 'no-such-key',
  },
  key: {
    description: 'The key of one entry, percent-encoded.',
    schema: { type: 'string', minLength: 1 },
    example: 'SKU-0001',
    absent: 'no-such-key',
  },
  queryId: {
    description: 'Id of the named query.',
    schema: name,
    example: 'orders-of-customer',
    absent: 'no-such-query',
  },
  name: {
    description: 'Name of the region.',
    schema: name,
    example: 'orders',
    absent: 'no-such-region',
  },
  index: {
    description: 'Name of the index.',
    schema: name,
    example: 'orders-by-customer',
    absent: 'no-such-index',
  },
  id: { description: 'Id of the running query.', schema: name, example: '1', absent: '0' },
  file: {
    description: 'A file of the documentation page.',
    schema: name,
    example: 'page.js',
    absent: 'no-such-file',
  },
  asset: {
    description: 'A file of the web console.',
    schema: name,
    example: 'icon.svg',
    absent: 'no-such-asset',
  },
};

export const keysParameter: ParameterDescription = inQuery(
  'keys',
  'Keys to address instead of those of the path: reaches every possible key, `keys` and `a/b` ' +
    'included. One parameter per key; a value with plain commas names several.',
  keyList,
);

/** Of writes that take exactly one key. */
export const oneKeyParameter: ParameterDescription = {
  ...keysParameter,
  description: 'The key to address instead of that of the path: reaches every possible key.',
  schema: { ...keyList, maxItems: 1 },
  required: true,
  example: ['SKU-0001'],
};

export const queryText: ParameterDescription = inQuery(
  'q',
  'The OQL text. One pair of double quotes around the whole is dropped.',
  someText,
  { required: true },
);

export const ignoreMissingKey: ParameterDescription = flag(
  'ignoreMissingKey',
  '`true`: a key that does not exist yields `null` instead of an error.',
);

export const atParameter: ParameterDescription = inQuery(
  'at',
  'The state as of this commit, or of the last one up to this RFC 3339 time. The region must ' +
    'keep history (400); 410 if that moment is no longer kept.',
  someText,
);

export const ttlParameter: ParameterDescription = inQuery(
  'ttl',
  'The time to live of the written entries: seconds, or an ISO 8601 duration such as `PT24H`. Without it, ' +
    'the `entry-ttl` of the region, or until it is removed.',
  someText,
);

// The page sends parameters that have an example. Conditions have none, because they would fail.
export const ifMatch: ParameterDescription = inHeader(
  'If-Match',
  'The write happens only if the one key it names has this version, such as `"42"` (`*`: any).',
  text,
);

export const ifNoneMatch: ParameterDescription = inHeader(
  'If-None-Match',
  'The write happens only if the one key it names has another version, such as `"42"` ' +
    '(`*`: none).',
  text,
);

export const ifNoneMatchRead: ParameterDescription = inHeader(
  'If-None-Match',
  'The version the client has, such as `"42"`; when it is still the current one, the answer is ' +
    '304.',
  text,
);

export const idempotencyKey: ParameterDescription = inHeader(
  'Idempotency-Key',
  'Chosen by the client. A repeat with the same key is not done again: it gets the first answer, ' +
    'with `Idempotent-Replayed: true`.',
  { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
);

export const pretty: ParameterDescription = flag(
  'pretty',
  '`true`: JSON with line breaks, for people.',
);
