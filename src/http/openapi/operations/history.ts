// Descriptions: the history of one entry.

import { VERSIONS } from '../../request/parameters.ts';
import { empty, inQuery, json, type Operations, REASONS, ref, withTag } from '../description.ts';
import { ifMatch, ifNoneMatch } from '../parameters.ts';
import { list, numberIn } from '../schema-parts.ts';

const noHistory = 'The region keeps no history, or a parameter is out of range.';

export const historyOperations: Operations = withTag('Entries', {
  listVersions: {
    summary: 'List the versions of an entry',
    description:
      'The changes of one entry that the region keeps, latest first, each with the value that it wrote. ' +
      'A version that is older than all of them has no `time`.',
    parameters: [
      inQuery('before', 'Only versions before this one.', { type: 'integer', minimum: 1 }),
      inQuery('limit', 'The most versions to list.', numberIn('integer', VERSIONS)),
    ],
    answers: {
      200: json('The versions.', list('versions', ref('EntryVersion')), { headers: ['Link'] }),
    },
    errors: { 400: noHistory, 404: REASONS.noRegion },
  },
  restoreEntry: {
    summary: 'Put back a version of an entry',
    description: 'Writes the value that the entry had with that version as its new value.',
    parameters: [
      inQuery(
        'restore',
        'The version to restore, as `listVersions` names it.',
        { type: 'integer', minimum: 1 },
        { required: true, example: 1 },
      ),
      ifMatch,
      ifNoneMatch,
    ],
    answers: { 200: empty('Written, and on disk.', ['Location', 'ETag']) },
    errors: {
      400: noHistory,
      404: 'The region does not exist, or keeps no value of that version.',
      409: REASONS.notUnique,
      412: REASONS.preconditionFailed,
    },
  },
});
