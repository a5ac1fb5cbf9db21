// Descriptions: the history of one entry.

import { empty, json, type OperationDescription, ref } from '../description.ts';
import { ifMatch, ifNoneMatch } from '../parameters.ts';

export type HistoryOperation = 'listVersions' | 'restoreEntry';

const noHistory = 'The region keeps no history, or a parameter is out of range.';

export const historyOperations: Readonly<Record<HistoryOperation, OperationDescription>> = {
  listVersions: {
    tag: 'Entries',
    summary: 'List the versions of an entry',
    description:
      'The changes of one entry that the region keeps, latest first, each with the value it led to. ' +
      'A version that is older than all of them has no `time`.',
    parameters: [
      {
        name: 'before',
        in: 'query',
        description: 'Only versions before this one.',
        schema: { type: 'integer', minimum: 1 },
      },
      {
        name: 'limit',
        in: 'query',
        description: 'The most versions to list.',
        schema: { type: 'integer', minimum: 1, maximum: 1000, default: 50 },
      },
    ],
    answers: {
      200: json(
        'The versions.',
        {
          type: 'object',
          properties: { versions: { type: 'array', items: ref('EntryVersion') } },
          required: ['versions'],
        },
        { headers: ['Link'] },
      ),
    },
    errors: { 400: noHistory, 404: 'The region does not exist.' },
  },
  restoreEntry: {
    tag: 'Entries',
    summary: 'Put back a version of an entry',
    description: 'Writes the value that the entry had with that version as its new value.',
    parameters: [
      {
        name: 'restore',
        in: 'query',
        required: true,
        description: 'The version to restore, as `listVersions` names it.',
        schema: { type: 'integer', minimum: 1 },
        example: 1,
      },
      ifMatch,
      ifNoneMatch,
    ],
    answers: { 200: empty('Written, and on disk.', ['Location', 'ETag']) },
    errors: {
      400: noHistory,
      404: 'The region does not exist, or keeps no value of that version.',
      412: 'The precondition does not hold; nothing was written.',
    },
  },
};
