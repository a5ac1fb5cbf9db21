// Descriptions: named queries, and running them or a query given as text.

import { PLAN_TYPE } from '../../response/media-types.ts';
import {
  type AnswerDescription,
  empty,
  flag,
  inQuery,
  json,
  type OperationDescription,
  type Operations,
  type ParameterDescription,
  REASONS,
  ref,
  withTag,
} from '../description.ts';
import { lastLineParameters } from '../page-parameters.ts';
import { atParameter, ifNoneMatchRead, queryText } from '../parameters.ts';
import { list, someText } from '../schema-parts.ts';

const shown = {
  id: 'orders-of-customer',
  oql: 'SELECT o FROM /orders o WHERE o.customerId = $1 ORDER BY o.placedOn DESC',
};

/** The id and text of a new query may come in the body instead. */
const newId = inQuery('id', 'The id; any but `adhoc`, `.` and `..`. Without it, the body has it.', {
  type: 'string',
  minLength: 1,
  maxLength: 255,
});

const newText = inQuery('q', `${queryText.description} Without it, the body has it.`, someText);

const check = flag(
  'check',
  '`true`: the text is compiled first, and refused with the position of an error.',
);

const timeout = inQuery(
  'timeout',
  'Milliseconds the query may take; can only lower the limit of the service.',
  { type: 'integer', minimum: 1, maximum: 999_999_999 },
);

const strict = flag(
  'strict',
  '`true`: a member that no document of its region has is an error, not a warning.',
);

const explain = flag(
  'explain',
  '`true`: answers the plan of the query; as a drawn tree for `Accept: text/plain`.',
);

const analyze = flag(
  'analyze',
  '`true`: runs the query and answers its plan, with actual rows and times of each step.',
);

const runParameters: readonly ParameterDescription[] = [
  timeout,
  strict,
  explain,
  analyze,
  atParameter,
  ...lastLineParameters,
];

const jsonResult = json(
  'The result: values, structs or scalars. A stored `@type` appears as `type-class`. With ' +
    '`explain` or `analyze`, the plan in a media type of its own, or as plain JSON where `Accept` ' +
    'takes nothing else.',
  { type: 'array', items: {} },
  {
    headers: ['Location', 'Preference-Applied', 'Query-Warnings'],
    example: [{ 'type-class': 'example.shop.Order', id: 100001 }],
  },
);

const result: AnswerDescription = {
  ...jsonResult,
  content: {
    ...jsonResult.content,
    'application/x-ndjson': { schema: { type: 'string', description: 'One row a line.' } },
    'text/csv; charset=utf-8; header=present': {
      schema: { type: 'string', description: 'RFC 4180: a header row, then one row a line.' },
    },
    [PLAN_TYPE]: { schema: ref('Explanation') },
    'text/plain; charset=utf-8': { schema: { type: 'string' } },
  },
};

const textTooLong = 'The text is too long to be stored.';
const failures: OperationDescription['errors'] = {
  500:
    'The query failed: its syntax, an unknown name, a bind parameter of another type or number, ' +
    'an invalid argument, the time limit, or low memory: see `code` and `failure`.',
  503: 'The maximum number of queries is running, or the service sheds load or shuts down.',
};

/** Of the method QUERY. */
const failuresByCause: OperationDescription['errors'] = {
  400: 'The text does not compile, or the bind parameters do not fit it; `position` says where.',
  415: {
    description: 'The media type is not one of `Accept-Query`.',
    schema: ref('Error'),
    headers: ['Accept-Query'],
  },
  422: 'The data made the query fail; `entry` names the entry.',
  503: 'The maximum number of queries is running, memory is low, or the service sheds load or shuts down.',
  504: 'The query took too long.',
};
const safeAnswers: OperationDescription['answers'] = {
  200: { ...result, headers: ['ETag', 'Location', 'Preference-Applied', 'Query-Warnings'] },
  304: empty('With `If-None-Match`: no region that the query reads has changed.', ['ETag']),
};
export const queryOperations: Operations = withTag('Queries', {
  listQueries: {
    summary: 'List named queries',
    answers: {
      200: json('All named queries, by id.', list('queries', ref('NamedQuery')), {
        headers: ['Location'],
        example: { queries: [shown] },
      }),
    },
  },
  createQuery: {
    summary: 'Create a named query',
    description: 'Id and text are given as parameters, or in the body.',
    parameters: [newId, newText, check, strict],
    body: {
      optional: true,
      description: 'The query, if the parameters do not give it.',
      schema: ref('NewQuery'),
      examples: { 'by customer': { id: 'latest-orders-of-customer', oql: shown.oql } },
    },
    answers: { 201: empty('Created, and on disk.', ['Location', 'Query-Warnings']) },
    errors: {
      409: {
        description: 'The id is taken; the body is the existing query.',
        schema: ref('NamedQuery'),
        example: shown,
      },
      413: textTooLong,
    },
  },
  readQuery: {
    summary: 'Read a named query',
    answers: {
      200: json('The query.', ref('NamedQuery'), { headers: ['Location'], example: shown }),
    },
    errors: { 404: REASONS.noQuery },
  },
  updateQuery: {
    summary: 'Update a named query',
    description: 'The text is given in `q`; a body is ignored.',
    parameters: [{ ...queryText, example: shown.oql }, check, strict],
    answers: { 200: empty('Updated, and on disk.', ['Location', 'Query-Warnings']) },
    errors: { 404: REASONS.noQuery, 413: textTooLong },
  },
  deleteQuery: {
    summary: 'Delete a named query',
    answers: { 200: empty('The query is gone.') },
    errors: { 404: REASONS.noQuery },
  },
  runNamedQuery: {
    summary: 'Run a named query',
    parameters: runParameters,
    body: {
      optional: true,
      description:
        'The bind parameters: an array with one per placeholder `$1`, `$2`, …, or an object with ' +
        'one member per placeholder `:name`.',
      schema: ref('BindParameters'),
      examples: {
        'a customer': [{ '@type': 'int', '@value': 1482 }],
        'plain values': [1482],
      },
    },
    answers: { 200: result },
    errors: { ...failures, 404: REASONS.noQuery },
  },
  runAdhocQuery: {
    summary: 'Run a query given as text',
    parameters: [
      { ...queryText, example: 'SELECT DISTINCT o.status FROM /orders o' },
      ...runParameters,
    ],
    answers: { 200: result },
    errors: failures,
  },
  postAdhocQuery: {
    summary: 'Run a query given as text, with bind parameters',
    parameters: runParameters,
    body: {
      description: 'The query and its bind parameters.',
      schema: ref('AdhocQuery'),
      examples: {
        'a customer': { oql: shown.oql, params: [{ '@type': 'int', '@value': 1482 }] },
      },
    },
    answers: { 200: result },
    errors: failures,
  },
  queryNamed: {
    summary: 'Run a named query by the method QUERY',
    parameters: [...runParameters, ifNoneMatchRead],
    body: {
      optional: true,
      description: 'The bind parameters, as for POST.',
      schema: ref('BindParameters'),
    },
    answers: safeAnswers,
    errors: { ...failuresByCause, 404: REASONS.noQuery },
  },
  queryAdhoc: {
    summary: 'Run a query given as text by the method QUERY',
    parameters: [...runParameters, ifNoneMatchRead],
    body: {
      description: 'The query and its bind parameters, or its text alone.',
      schema: ref('AdhocQuery'),
      mediaTypes: {
        'application/json': { schema: ref('AdhocQuery') },
        'application/oql': { schema: { type: 'string' } },
      },
    },
    answers: safeAnswers,
    errors: failuresByCause,
  },
});
