// The parameters of reads in pages.

import { DEFAULT_LIMIT } from '../request/parameters.ts';
import { flag, inHeader, inQuery, type ParameterDescription } from './description.ts';
import { someText, text } from './schema-parts.ts';

export const limitParameter: ParameterDescription = inQuery(
  'limit',
  'The most values to read, or `ALL`.',
  { type: 'string', pattern: '^(?:[0-9]{1,9}|[Aa][Ll][Ll])$', default: String(DEFAULT_LIMIT) },
  { example: '2' },
);

export const limitOfKeys: ParameterDescription = inQuery(
  'limit',
  'The most keys to list, or `ALL`.',
  { type: 'string', pattern: '^(?:[0-9]{1,9}|[Aa][Ll][Ll])$', default: 'ALL' },
);

const endParameter = flag(
  'end',
  '`true`, with NDJSON: a last line `{"@end":{"count","sequence"}}` confirms that the answer is complete.',
);

/** Of query results. */
export const lastLineParameters: readonly ParameterDescription[] = [
  endParameter,
  inHeader('Prefer', '`trailer`: as `end=true`, where the answer is NDJSON.', text),
];

/** Of pages of entries and of keys. */
export const pageParameters: readonly ParameterDescription[] = [
  inQuery('after', 'Begin after this key, in the order of the page. Excludes `cursor`.', text),
  inQuery('from', 'The least key, inclusive, in either order.', text),
  inQuery('to', 'Keys below this one, exclusive, in either order.', text),
  inQuery('prefix', 'Keys that begin with this text.', text),
  inQuery('order', 'The order of the keys, by UTF-16 code units.', {
    type: 'string',
    enum: ['asc', 'desc'],
    default: 'asc',
  }),
  inQuery(
    'cursor',
    'Continues after the page whose `Link` has this text, with the same bounds, order and ' +
      'condition. The text is opaque: do not build or read it.',
    someText,
  ),
  inQuery(
    'where',
    'Only entries for which this OQL condition holds, such as `price > 20`; `value` is the whole ' +
      'value. The service reads until the page is full or the time limit of queries is over; then ' +
      'the page ends early and `Link` continues it. At most 10,000 entries, or `limit=ALL`.',
    someText,
  ),
  inQuery(
    'timeout',
    'Milliseconds that `where` may take; can only lower the limit of the server.',
    { type: 'integer', minimum: 1, maximum: 999_999_999 },
  ),
  endParameter,
  inHeader(
    'Prefer',
    '`count=exact`: `Resource-Count` is the number of entries of all pages. `trailer`: ' +
      'as `end=true`.',
    text,
  ),
];

/** Of pages of entries alone. */
export const elementParameters: readonly ParameterDescription[] = [
  flag('entries', '`true`: each element is `{"key","version","value"}` instead of the bare value.'),
  inQuery(
    'fields',
    'Only these members of each value, with commas between them and dots for members of members: ' +
      '`a,b.c` gives `{"a":…,"b":{"c":…}}`. Members keep their text.',
    someText,
  ),
];
