// JSON Schemas of the reports on documents and queries.

import type { Schema } from './description.ts';
import { count, object, text } from './schema-parts.ts';

export const reportSchemas: Readonly<Record<string, Schema>> = {
  RegionSchema: object(
    {
      region: text,
      sampled: { ...count, description: 'Documents that were sampled.' },
      fields: {
        type: 'array',
        items: object(
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
            frequent: {
              type: 'array',
              items: object({ value: text, count }, ['value', 'count']),
            },
            histogram: {
              type: 'array',
              items: count,
              description: 'Numbers in ten equal parts from the least to the greatest.',
            },
          },
          ['path', 'present', 'kinds', 'distinct', 'distinct-is-more', 'frequent'],
        ),
      },
      'is-cut': { type: 'boolean', description: 'Whether there are more than 500 paths.' },
    },
    ['region', 'sampled', 'fields', 'is-cut'],
  ),
  QueryStatistics: object(
    {
      queries: {
        type: 'array',
        items: object(
          {
            'query-id': text,
            calls: count,
            failures: count,
            'median-ms': { type: 'number', description: 'Of the last 256 calls.' },
            'p99-ms': { type: 'number' },
            'last-run': { type: 'string', format: 'date-time' },
            'last-error': object({ code: text, time: { type: 'string', format: 'date-time' } }, [
              'code',
              'time',
            ]),
          },
          ['query-id', 'calls', 'failures', 'median-ms', 'p99-ms', 'last-run'],
        ),
      },
      slowest: {
        type: 'array',
        items: object(
          {
            oql: text,
            'query-id': { ...text, description: 'Absent for an ad-hoc query.' },
            ms: { type: 'number' },
            rows: count,
            outcome: text,
            code: { ...text, description: 'The error code, when it did not complete.' },
            time: { type: 'string', format: 'date-time' },
          },
          ['oql', 'ms', 'rows', 'outcome', 'time'],
        ),
      },
      server: { type: 'string', description: 'The server that reports it.' },
    },
    ['queries', 'slowest', 'server'],
  ),
};
