// JSON Schemas of requests and answers, with the names of the specification.

import { INDEX_KINDS, KEY_CONSTRAINTS, REGION_TYPES } from '../../value/region-words.ts';
import { CHANGE_OPERATIONS } from '../intent/parse-changes.ts';
import { ref, type Schema } from './description.ts';
import { reportSchemas } from './report-schemas.ts';
import {
  arrayOf,
  closedObject,
  count,
  notOf,
  object,
  text,
  time,
  timeToLive,
} from './schema-parts.ts';

const textOrNull = { type: ['string', 'null'] };

const position = object(
  { offset: count, line: { type: 'integer', minimum: 1 }, column: { type: 'integer', minimum: 1 } },
  [],
  'Where in the query text or the JSON body, counted in characters.',
);

/** Members that the common error object and problem+json share. */
const errorMembers = {
  code: {
    type: 'string',
    pattern: '^[a-z]+/[a-z-]+$',
    description: 'Stable, for programs; docs/errors.md lists them all.',
  },
  failure: {
    ...text,
    description: 'The kind of query failure, in the words of the specification.',
  },
  hint: { ...text, description: 'How to fix it, such as the nearest valid name.' },
  position: ref('Position'),
  entry: object({ region: text, key: text }, [], 'The entry whose value made a query fail.'),
  unique: object(
    {
      region: text,
      index: { ...text, description: 'The unique index.' },
      key: { ...text, description: 'The entry that was to have the value.' },
      holder: { ...text, description: 'The entry that has it; absent where it may not be read.' },
    },
    ['holder'],
    'Two entries with the same value of a unique index.',
  ),
  oldest: {
    ...count,
    description: 'On 410: the lowest sequence after which the change log can be read.',
  },
  latest: { ...count, description: 'On 410: the last one.' },
  trace: arrayOf(text, 'On 500: where in the service it happened. Never holds data.'),
};

/** As requests write them; null removes one, or means none. */
const settingMembers = {
  history: {
    type: ['object', 'null'],
    description:
      'Overwritten and removed values are kept until either bound: their age, or the number of ' +
      'changes since. Null for none.',
    properties: {
      age: timeToLive,
      count: { type: ['integer', 'null'], minimum: 1, maximum: 1_000_000_000 },
    },
    unevaluatedProperties: false,
    minProperties: 1,
    examples: [{ age: 'PT24H', count: 1_000_000 }],
  },
  'entry-ttl': {
    ...timeToLive,
    description: 'How long an entry lives that is written without `ttl`. Null for no end.',
  },
  'max-ttl': {
    ...timeToLive,
    description: 'The longest that an entry may live. Null for any time.',
  },
};

const indexMembers = {
  name: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,255}$' },
  kind: { type: 'string', enum: INDEX_KINDS },
  expression: { ...text, minLength: 1, description: 'OQL, for example `o.status`.' },
  from: { ...text, minLength: 1, description: 'OQL, for example `/orders o`.' },
  unique: {
    type: 'boolean',
    description: 'True where no two entries may have the same value; absent otherwise.',
  },
};

/** In a request an optional member may be null, which means that it is absent. */
const newIndexMembers = {
  ...indexMembers,
  kind: { type: ['string', 'null'], enum: [...INDEX_KINDS, null], default: 'range' },
  from: {
    ...textOrNull,
    minLength: 1,
    description: 'OQL, for example `/orders o`; the region itself when absent.',
  },
  unique: {
    type: ['boolean', 'null'],
    default: false,
    description: 'Whether writes are refused that would give two entries the same value.',
  },
};

export const schemas: Readonly<Record<string, Schema>> = {
  Explanation: object(
    {
      plan: ref('PlanNode'),
      subqueries: arrayOf(
        ref('PlanNode'),
        'Queries inside the query; they run before it, each once.',
      ),
      rules: arrayOf(text, 'Rules of the planner that had a part in the plan, in their order.'),
      'indexes-used': arrayOf(text),
      'indexes-refused': arrayOf(object({ name: text, reason: text })),
      warnings: arrayOf(text, 'Warnings about a query that runs.'),
      'rows-because': {
        ...textOrNull,
        description: 'Why the query reads rows instead of columns; null when it does not.',
      },
    },
    [],
    'How a query would run, or did.',
  ),
  PlanNode: object(
    {
      node: text,
      detail: text,
      'estimated-rows': { type: ['number', 'null'] },
      'actual-rows': { type: 'number', description: 'With `analyze` alone.' },
      'actual-ms': {
        type: 'number',
        description: 'With `analyze` alone: of the step and all below it.',
      },
      input: ref('PlanNode'),
      build: { ...ref('PlanNode'), description: 'The other side of a join.' },
    },
    ['actual-rows', 'actual-ms', 'input', 'build'],
    'One step; its input is the step before it.',
  ),
  Value: {
    description:
      'A value: a JSON object, optionally with its domain type in `@type`, or an array of such ' +
      'objects. It is read back exactly as it was sent: numbers keep their form, members their order.',
    ...notOf('string', 'number', 'boolean', 'null'),
  },
  Region: object({
    name: { ...text, examples: ['orders'] },
    type: ref('RegionType'),
    'key-constraint': {
      ...textOrNull,
      description: 'Type name of keys; null when any is taken.',
    },
    'value-constraint': {
      ...textOrNull,
      description: 'Type name of values; null when any is taken.',
    },
  }),
  RegionType: { type: 'string', enum: REGION_TYPES },
  RegionData: {
    description: 'One member, named by the region, with the values.',
    type: 'object',
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: {
      type: 'array',
      items: { description: 'A Value, or null.', ...notOf('string', 'number', 'boolean') },
    },
  },
  EntryVersion: object(
    {
      version: { type: 'integer', minimum: 1 },
      time: { ...time, description: 'When the change was committed.' },
      op: { type: 'string', enum: ['put', 'remove', 'expire', 'clear'] },
      value: {
        ...ref('Value'),
        description: 'The value that was put; absent when the entry was removed.',
      },
    },
    ['time', 'value'],
    'One change of an entry.',
  ),
  Change: object(
    {
      sequence: { ...count, description: 'Of the commit; all changes of a commit have the same.' },
      time: time,
      region: text,
      op: { type: 'string', enum: CHANGE_OPERATIONS },
      key: { ...text, description: 'Absent where the change concerns the region.' },
      version: { ...count, description: 'The version that an entry has since.' },
      value: { description: 'The value that was put.' },
      superseded: {
        type: 'boolean',
        const: true,
        description: 'The value was overwritten since, and is not kept; a later change follows.',
      },
      old: {
        description:
          'With `include=old`: the value before the change. Absent when the key was absent.',
      },
      'old-gone': {
        type: 'boolean',
        const: true,
        description: 'With `include=old`: whether there was a value before is no longer kept.',
      },
    },
    ['key', 'value', 'superseded', 'old', 'old-gone'],
  ),
  ChangePage: object({
    changes: arrayOf(ref('Change')),
    next: { ...count, description: 'The value of `since` for the next page.' },
  }),
  NamedQuery: object({
    id: text,
    oql: { ...text, description: 'OQL with placeholders `$1`, `$2`, … for bind parameters.' },
  }),
  BindParameter: object({
    '@type': {
      ...text,
      description:
        'byte, short, int, long, float, double, boolean, string, char, date, list, biginteger, ' +
        'bigdecimal or null; the full Java names are taken too.',
      examples: ['int'],
    },
    '@value': {
      description: 'A value of `@type`: a scalar, or an array; a number may be sent as text.',
      ...notOf('object'),
    },
  }),
  BindParameters: {
    description:
      'An array with one parameter per placeholder `$1`, `$2`, …, or an object with one member per ' +
      'placeholder `:name`. A parameter is a plain value, which means what it would mean in a ' +
      'document, or a BindParameter, which names its type; a single one of these needs no array.',
    ...notOf('string', 'number', 'boolean', 'null'),
  },
  NewQuery: closedObject(
    {
      id: { ...textOrNull, minLength: 1, maxLength: 255 },
      oql: { ...textOrNull, description: 'OQL; may be called `q` too.' },
      q: textOrNull,
    },
    ['id', 'oql', 'q'],
  ),
  AdhocQuery: closedObject({ oql: text, params: ref('BindParameters') }, ['params']),
  NewRegion: closedObject(
    {
      name: {
        type: 'string',
        pattern: '^[A-Za-z0-9.-][A-Za-z0-9_.-]*$',
        maxLength: 255,
        description: 'Not `queries`, `servers`, `ping`, `functions`, `openapi.json`, `.` or `..`.',
      },
      type: { type: ['string', 'null'], enum: [...REGION_TYPES, null], default: 'REPLICATE' },
      'key-constraint': {
        type: ['string', 'null'],
        enum: [...KEY_CONSTRAINTS, ...KEY_CONSTRAINTS.map((name) => `java.lang.${name}`), null],
      },
      'value-constraint': { ...textOrNull, minLength: 1 },
      ...settingMembers,
    },
    ['type', 'key-constraint', 'value-constraint', 'history', 'entry-ttl', 'max-ttl'],
  ),
  RegionSettings: closedObject(
    settingMembers,
    ['history', 'entry-ttl', 'max-ttl'],
    'Members that are left out stay as they are.',
  ),
  RegionDescription: {
    allOf: [
      ref('Region'),
      object(
        {
          history: {
            ...object({ age: text, count }, ['age', 'count']),
            description: 'Absent when the region keeps no history.',
          },
          'entry-ttl': { ...text, description: 'ISO 8601; absent without one.' },
          'max-ttl': { ...text, description: 'ISO 8601; absent without one.' },
          'entry-count': count,
          bytes: { ...count, description: 'Bytes of all values.' },
          indexes: arrayOf(ref('Index')),
        },
        ['history', 'entry-ttl', 'max-ttl'],
      ),
    ],
  },
  NewIndex: closedObject(newIndexMembers, ['kind', 'from', 'unique']),
  Index: object(indexMembers, ['unique']),
  IndexDetails: object(
    {
      ...indexMembers,
      uses: { ...count, description: 'Queries of this server that used it.' },
      'last-used': {
        ...time,
        description: 'Absent while no query has used it.',
      },
      'counted-since': {
        ...time,
        description: 'When this server started, or the index was created.',
      },
    },
    ['unique', 'last-used'],
  ),
  RunningQuery: object(
    {
      id: text,
      oql: text,
      'query-id': { ...text, description: 'Absent for an ad-hoc query.' },
      state: { ...text, enum: ['running', 'waiting'] },
      'elapsed-ms': count,
      server: { ...text, description: 'The server that runs it.' },
    },
    ['query-id'],
  ),
  ...reportSchemas,
  Position: position,
  Error: object(
    { cause: { ...text, description: 'The cause of the error.' }, message: text, ...errorMembers },
    ['failure', 'hint', 'position', 'entry', 'unique', 'oldest', 'latest', 'trace'],
    'Every error without a special body.',
  ),
  Problem: object(
    {
      type: { ...text, format: 'uri' },
      title: text,
      status: { type: 'integer' },
      detail: text,
      instance: { ...text, format: 'uri' },
      ...errorMembers,
    },
    ['failure', 'hint', 'position', 'entry', 'unique', 'oldest', 'latest', 'trace'],
    'RFC 9457, for clients that list `application/problem+json` in `Accept`.',
  ),
};
