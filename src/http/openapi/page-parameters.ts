// The parameters of reads in pages.

import type { ParameterDescription } from './description.ts';

const bound = { type: 'string', maxLength: 1024 };

export const limitParameter: ParameterDescription = {
  name: 'limit',
  in: 'query',
  description: 'The most values to read, or `ALL`.',
  schema: { type: 'string', pattern: '^(?:[0-9]{1,9}|[Aa][Ll][Ll])$', default: '50' },
  example: '2',
};

export const limitOfKeys: ParameterDescription = {
  name: 'limit',
  in: 'query',
  description: 'The most keys to list, or `ALL`.',
  schema: { type: 'string', pattern: '^(?:[0-9]{1,9}|[Aa][Ll][Ll])$', default: 'ALL' },
};

const endParameter: ParameterDescription = {
  name: 'end',
  in: 'query',
  description:
    '`true`, with NDJSON: a last line `{"@end":{"count","sequence"}}` says that the answer is whole.',
  schema: { type: 'boolean', default: false },
};

/** Of query results. */
export const lastLineParameters: readonly ParameterDescription[] = [
  endParameter,
  {
    name: 'Prefer',
    in: 'header',
    description: '`trailer`: as `end=true`, where the answer is NDJSON.',
    schema: { type: 'string' },
  },
];

/** Of pages of entries and of keys. */
export const pageParameters: readonly ParameterDescription[] = [
  {
    name: 'after',
    in: 'query',
    description: 'Begin after this key, in the order of the page. Excludes `cursor`.',
    schema: bound,
  },
  {
    name: 'from',
    in: 'query',
    description: 'The least key, inclusive, in either order.',
    schema: bound,
  },
  {
    name: 'to',
    in: 'query',
    description: 'Keys below this one, exclusive, in either order.',
    schema: bound,
  },
  { name: 'prefix', in: 'query', description: 'Keys that begin with this text.', schema: bound },
  {
    name: 'order',
    in: 'query',
    description: 'The order of the keys, by UTF-16 code units.',
    schema: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
  },
  {
    name: 'cursor',
    in: 'query',
    description:
      'Continues after the page whose `Link` has this text, with the same bounds, order and ' +
      'condition. The text is opaque: do not build or read it.',
    schema: { type: 'string', minLength: 1 },
  },
  {
    name: 'where',
    in: 'query',
    description:
      'Only entries for which this OQL condition holds, such as `price > 20`; `value` is the whole ' +
      'value. The page is filled by reading on, within the time limit of queries; when that is ' +
      'over, the page ends early and `Link` continues it. At most 10,000 entries, or `limit=ALL`.',
    schema: { type: 'string', minLength: 1 },
  },
  {
    name: 'timeout',
    in: 'query',
    description: 'Milliseconds that `where` may take; can only lower the limit of the server.',
    schema: { type: 'integer', minimum: 1, maximum: 999_999_999 },
  },
  endParameter,
  {
    name: 'Prefer',
    in: 'header',
    description:
      '`count=exact`: `Resource-Count` is the number of entries of all pages. `trailer`: ' +
      'as `end=true`.',
    schema: { type: 'string' },
  },
];

/** Of pages of entries alone. */
export const elementParameters: readonly ParameterDescription[] = [
  {
    name: 'entries',
    in: 'query',
    description: '`true`: each element is `{"key","version","value"}` instead of the bare value.',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'fields',
    in: 'query',
    description:
      'Only these members of each value, with commas between them and dots for members of members: ' +
      '`a,b.c` gives `{"a":…,"b":{"c":…}}`. Members keep their text.',
    schema: { type: 'string', minLength: 1 },
  },
];
