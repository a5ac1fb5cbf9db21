// Descriptions: named queries, and running them or a query given as text.

import { PLAN_TYPE } from '../../response/api-response.ts';
import {
  type AnswerDescription,
  empty,
  json,
  type OperationDescription,
  type ParameterDescription,
  ref,
} from '../description.ts';
import { lastLineParameters } from '../page-parameters.ts';
import { atParameter, ifNoneMatchRead } from '../parameters.ts';

export type QueryOperation =
  | 'listQueries'
  | 'createQuery'
  | 'readQuery'
  | 'updateQuery'
  | 'deleteQuery'
  | 'runNamedQuery'
  | 'runAdhocQuery'
  | 'postAdhocQuery'
  | 'queryNamed'
  | 'queryAdhoc';

const noQuery = 'There is no query with this id.';

const shown = {
  id: 'orders-of-customer',
  oql: 'SELECT o FROM /orders o WHERE o.customerId = $1 ORDER BY o.placedOn DESC',
};

const queryText: ParameterDescription = {
  name: 'q',
  in: 'query',
  required: true,
  description: 'The OQL text. One pair of double quotes around the whole is dropped.',
  schema: { type: 'string', minLength: 1 },
  example: shown.oql,
};

/** The id and text of a new query may come in the body instead. */
const newId: ParameterDescription = {
  name: 'id',
  in: 'query',
  description: 'The id; any but `adhoc`, `.` and `..`. Without it, the body has it.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const newText: ParameterDescription = {
  name: 'q',
  in: 'query',
  description:
    'The OQL text. One pair of double quotes around the whole is dropped. Without it, the body has it.',
  schema: { type: 'string', minLength: 1 },
};

const check: ParameterDescription = {
  name: 'check',
  in: 'query',
  description: '`true`: the text is compiled first, and refused with the position of its mistake.',
  schema: { type: 'boolean', default: false },
};

const timeout: ParameterDescription = {
  name: 'timeout',
  in: 'query',
  description: 'Milliseconds the query may take; can only lower the limit of the service.',
  schema: { type: 'integer', minimum: 1, maximum: 999_999_999 },
};

const strict: ParameterDescription = {
  name: 'strict',
  in: 'query',
  description: '`true`: a member that no document of its region has is an error, not a warning.',
  schema: { type: 'boolean', default: false },
};

const explain: ParameterDescription = {
  name: 'explain',
  in: 'query',
  description: '`true`: answers how the query would run; as a picture for `Accept: text/plain`.',
  schema: { type: 'boolean', default: false },
};

const analyze: ParameterDescription = {
  name: 'analyze',
  in: 'query',
  description: '`true`: runs the query and answers how it ran, with rows and times of each step.',
  schema: { type: 'boolean', default: false },
};

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
    'an improper argument, the time limit, or low memory. `code` and `failure` say which.',
  503: 'As many queries run as may, or the service sheds load or shuts down.',
};

/** Of the method QUERY. */
const honestFailures: OperationDescription['errors'] = {
  400: 'The text does not compile, or the bind parameters do not fit it; `position` says where.',
  422: 'The data made the query fail; `entry` names the entry.',
  503: 'As many queries run as may, memory is low, or the service sheds load or shuts down.',
  504: 'The query took too long.',
};
const safeAnswers: OperationDescription['answers'] = {
  200: { ...result, headers: ['ETag', 'Location', 'Preference-Applied', 'Query-Warnings'] },
  304: empty('With `If-None-Match`: no region that the query reads has changed.', ['ETag']),
};
const safeParameters: readonly ParameterDescription[] = [
  timeout,
  strict,
  explain,
  analyze,
  atParameter,
  ...lastLineParameters,
  ifNoneMatchRead,
];

export const queryOperations: Readonly<Record<QueryOperation, OperationDescription>> = {
  listQueries: {
    tag: 'Queries',
    summary: 'List named queries',
    answers: {
      200: json(
        'All named queries, by id.',
        {
          type: 'object',
          properties: { queries: { type: 'array', items: ref('NamedQuery') } },
          required: ['queries'],
        },
        { headers: ['Location'], example: { queries: [shown] } },
      ),
    },
  },
  createQuery: {
    tag: 'Queries',
    summary: 'Create a named query',
    description: 'Id and text are given as parameters, or in the body.',
    parameters: [newId, newText, check, strict],
    body: {
      optional: true,
      description: 'The query, where the parameters do not give it.',
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
    tag: 'Queries',
    summary: 'Read a named query',
    answers: {
      200: json('The query.', ref('NamedQuery'), { headers: ['Location'], example: shown }),
    },
    errors: { 404: noQuery },
  },
  updateQuery: {
    tag: 'Queries',
    summary: 'Update a named query',
    description: 'The text is given in `q`; a body is ignored.',
    parameters: [queryText, check, strict],
    answers: { 200: empty('Updated, and on disk.', ['Location', 'Query-Warnings']) },
    errors: { 404: noQuery, 413: textTooLong },
  },
  deleteQuery: {
    tag: 'Queries',
    summary: 'Delete a named query',
    answers: { 200: empty('The query is gone.') },
    errors: { 404: noQuery },
  },
  runNamedQuery: {
    tag: 'Queries',
    summary: 'Run a named query',
    parameters: [timeout, strict, explain, analyze, atParameter, ...lastLineParameters],
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
    errors: { ...failures, 404: noQuery },
  },
  runAdhocQuery: {
    tag: 'Queries',
    summary: 'Run a query given as text',
    parameters: [
      { ...queryText, example: 'SELECT DISTINCT o.status FROM /orders o' },
      timeout,
      strict,
      explain,
      analyze,
      atParameter,
      ...lastLineParameters,
    ],
    answers: { 200: result },
    errors: failures,
  },
  postAdhocQuery: {
    tag: 'Queries',
    summary: 'Run a query given as text, with bind parameters',
    parameters: [timeout, strict, explain, analyze, atParameter, ...lastLineParameters],
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
    tag: 'Queries',
    summary: 'Run a named query by the method QUERY',
    parameters: safeParameters,
    body: {
      optional: true,
      description: 'The bind parameters, as for POST.',
      schema: ref('BindParameters'),
    },
    answers: safeAnswers,
    errors: { ...honestFailures, 404: noQuery },
  },
  queryAdhoc: {
    tag: 'Queries',
    summary: 'Run a query given as text by the method QUERY',
    parameters: safeParameters,
    body: {
      description: 'The query and its bind parameters, or its text alone.',
      schema: ref('AdhocQuery'),
      mediaTypes: {
        'application/json': { schema: ref('AdhocQuery') },
        'application/oql': { schema: { type: 'string' } },
      },
    },
    answers: safeAnswers,
    errors: honestFailures,
  },
};
