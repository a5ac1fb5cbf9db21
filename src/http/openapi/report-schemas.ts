// JSON Schemas of the reports on documents and queries.

import type { Schema } from './description.ts';
import { arrayOf, count, object, text, time } from './schema-parts.ts';

export const reportSchemas: Readonly<Record<string, Schema>> = {
  RegionSchema: object({
    region: text,
    sampled: { ...count, description: 'Documents that were sampled.' },
    fields: arrayOf(
      object(
        {
          path: { ...text, description: '`address.city`; elements of a list are `items[]`.' },
          present: count,
          kinds: {
            type: 'object',
            additionalProperties: count,
            description: 'How many values are of each JSON kind.',
          },
          distinct: count,
          'distinct-is-more': { type: 'boolean' },
          least: { ...text, description: 'JSON text of the least number or string.' },
          greatest: text,
          frequent: arrayOf(object({ value: text, count })),
          histogram: arrayOf(count, 'Numbers in ten equal parts from the least to the greatest.'),
        },
        ['least', 'greatest', 'histogram'],
      ),
    ),
    'is-cut': { type: 'boolean', description: 'Whether there are more than 500 paths.' },
  }),
  QueryStatistics: object({
    queries: arrayOf(
      object(
        {
          'query-id': text,
          calls: count,
          failures: count,
          'median-ms': { type: 'number', description: 'Of the last 256 calls.' },
          'p99-ms': { type: 'number' },
          'last-run': time,
          'last-error': object({ code: text, time }),
        },
        ['last-error'],
      ),
    ),
    slowest: arrayOf(
      object(
        {
          oql: text,
          'query-id': { ...text, description: 'Absent for an ad-hoc query.' },
          ms: { type: 'number' },
          rows: count,
          outcome: text,
          code: { ...text, description: 'The error code, when it did not complete.' },
          time,
        },
        ['query-id', 'code'],
      ),
    ),
    server: { type: 'string', description: 'The server that reports it.' },
  }),
};
