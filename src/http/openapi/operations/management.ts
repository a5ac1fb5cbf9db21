// Descriptions: the management plane.

import { SAMPLE } from '../../request/parameters.ts';
import { empty, inQuery, json, type Operations, REASONS, ref, withTag } from '../description.ts';
import { arrayOf, list, numberIn, object, text } from '../schema-parts.ts';

const noIndex = 'The region, or the index, does not exist.';

export const managementOperations: Operations = withTag('Management', {
  createRegion: {
    summary: 'Create a region',
    body: {
      description: 'The region.',
      schema: ref('NewRegion'),
      examples: { returns: { name: 'returns', type: 'PARTITION', 'key-constraint': 'Long' } },
    },
    answers: { 201: empty('Created, and on disk.', ['Location']) },
    errors: { 409: 'A region of this name exists.' },
  },
  describeRegions: {
    summary: 'Describe all regions',
    answers: { 200: json('The regions, by name.', list('regions', ref('RegionDescription'))) },
  },
  readSchema: {
    summary: 'Infer the schema of a region from its documents',
    description:
      'Inferred from a sample that is spread over the keys: members, kinds, distinct values, minimum and maximum, the most frequent values. Values are JSON texts.',
    parameters: [inQuery('sample', 'How many documents are sampled.', numberIn('integer', SAMPLE))],
    answers: { 200: json('The schema.', ref('RegionSchema')) },
    errors: { 400: 'The sample is no number from 1 to 10,000.', 404: REASONS.noRegion },
  },
  describeRegion: {
    summary: 'Describe a region',
    answers: { 200: json('The region with its size and indexes.', ref('RegionDescription')) },
    errors: { 404: REASONS.noRegion },
  },
  alterRegion: {
    summary: 'Alter history and expiry of a region',
    description:
      'Absent members stay as they are, null removes a setting. History begins with ' +
      'the commit that turns it on; the commit that turns it off deletes it.',
    body: {
      description: 'The settings to alter.',
      schema: ref('RegionSettings'),
      examples: {
        history: { history: { age: 'PT24H', count: 1_000_000 } },
        expiry: { 'entry-ttl': 'PT1H', 'max-ttl': null },
      },
    },
    answers: { 200: json('The region as it is now.', ref('RegionDescription')) },
    errors: { 404: REASONS.noRegion },
  },
  destroyRegion: {
    summary: 'Destroy a region with its entries and indexes',
    answers: { 200: empty('The region is gone.') },
    errors: { 404: REASONS.noRegion },
  },
  createIndex: {
    summary: 'Create an index',
    body: {
      description: 'The index.',
      schema: ref('NewIndex'),
      examples: {
        'by status': { name: 'by-status', expression: 'o.status', from: '/orders o', kind: 'hash' },
        unique: {
          name: 'by-mail',
          expression: 'LOWER(c.mail)',
          from: '/customers c',
          unique: true,
        },
      },
    },
    answers: { 201: empty('Created.', ['Location']) },
    errors: {
      404: REASONS.noRegion,
      409: 'The name or the definition exists already; or the index is unique, and two entries have the same value.',
    },
  },
  listIndexes: {
    summary: 'List the indexes of a region',
    description: 'With the number of queries on this server that used each index.',
    answers: { 200: json('The indexes.', list('indexes', ref('IndexDetails'))) },
    errors: { 404: REASONS.noRegion },
  },
  describeIndex: {
    summary: 'Describe an index',
    answers: { 200: json('The index.', ref('IndexDetails')) },
    errors: { 404: noIndex },
  },
  dropIndex: {
    summary: 'Drop an index',
    answers: { 200: empty('The index is gone.') },
    errors: { 404: noIndex },
  },
  listRunningQueries: {
    summary: 'List the queries that run now',
    answers: { 200: json('The queries.', list('queries', ref('RunningQuery'))) },
  },
  readQueryStatistics: {
    summary: 'Read what queries did',
    description:
      'Of this server since it started: calls, failures and durations of each named query, and the slowest runs of the last hour.',
    answers: { 200: json('The statistics.', ref('QueryStatistics')) },
  },
  cancelQuery: {
    summary: 'Cancel a running query',
    description: 'It ends with an error at its next pause, a few milliseconds later.',
    answers: { 200: empty('The query will end.') },
    errors: { 404: 'No such query runs.' },
  },
  readConfig: {
    summary: 'Read the effective settings',
    description: 'Each setting with its value and origin. Secrets are masked.',
    answers: { 200: json('The settings.', list('settings', { type: 'object' })) },
  },
  readStats: {
    summary: 'Read the counters of the store',
    answers: { 200: json('The counters since the start.', { type: 'object' }) },
  },
  readLogin: {
    summary: 'Read who is logged in',
    description: 'Any login is enough. Permissions are spelled as in the settings.',
    answers: {
      200: json(
        'The login; `name` is null while authentication is off.',
        object({
          authentication: { enum: ['on', 'off'] },
          name: { type: ['string', 'null'] },
          permissions: arrayOf(text),
        }),
        { example: { authentication: 'on', name: 'anna', permissions: ['DATA:READ:orders'] } },
      ),
    },
  },
});
