// Functions that take values of any kind: defaults for null, type tests, conversions.

import { toCollection } from '../../value/collections.ts';
import { isEqual, sortOrder } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import {
  Char,
  Double,
  Float,
  isAbsent,
  isInteger,
  kindOf,
  type List,
  type Value,
  type ValueKind,
} from '../../value/value.ts';
import { castValue } from './cast-value.ts';
import {
  define,
  defineVariadic,
  type FunctionDefinition,
  FunctionFailure,
  type FunctionOutcome,
} from './function-definition.ts';

export const VALUE_FUNCTIONS: readonly FunctionDefinition[] = [
  {
    name: 'COALESCE',
    minArguments: 1,
    maxArguments: Number.POSITIVE_INFINITY,
    isTotal: true,
    lazy: (args) => (row) => {
      let value: Value = null;
      for (const argument of args) {
        value = argument(row);
        if (!isAbsent(value)) return value;
      }
      return value;
    },
  },
  define('NULLIF', ['any', 'any'], (value, other) => (isEqual(value, other) ? null : value), {
    isTotal: true,
  }),
  define('TYPEOF', ['any'], (value) => typeName(value), {
    isTotal: true,
    takesCollections: true,
  }),
  define('IS_TYPE', ['any', 'text'], (value, type) => isOfType(value, type)),
  define('CAST', ['any', 'text'], castValue),
  define('LENGTH', ['any'], lengthOf, { takesCollections: true }),
  define('CHAR_LENGTH', ['any'], lengthOf, { takesCollections: true }),
  defineVariadic('GREATEST', 'any', 1, (values) => extremeOf(values, 1)),
  defineVariadic('LEAST', 'any', 1, (values) => extremeOf(values, -1)),
];

const TYPE_NAMES: Readonly<Record<ValueKind, string>> = {
  null: 'null',
  undefined: 'missing',
  boolean: 'boolean',
  number: 'number',
  string: 'string',
  char: 'char',
  temporal: 'date',
  list: 'list',
  set: 'set',
  map: 'map',
  document: 'document',
  struct: 'struct',
  entry: 'entry',
  region: 'region',
};

function typeName(value: Value): string {
  return TYPE_NAMES[kindOf(value)];
}

/** Other words for kinds of values after IS. */
const TYPE_WORDS: Readonly<Partial<Record<string, readonly string[]>>> = {
  text: ['string'],
  array: ['list'],
  collection: ['list', 'set'],
  object: ['document', 'struct'],
  timestamp: ['date'],
  undefined: ['missing'],
};

function isOfType(value: Value, type: string): boolean {
  if (type === 'integer') return isInteger(value);
  if (type === 'double') return value instanceof Double || value instanceof Float;
  return (TYPE_WORDS[type] ?? [type]).includes(typeName(value));
}

/** Code units of a text, elements of a collection, members of a document. */
function lengthOf(value: Value): FunctionOutcome {
  if (isAbsent(value)) return value;
  if (typeof value === 'string') return value.length;
  if (value instanceof Char) return 1;
  const elements = toCollection(value);
  return (
    elements?.length ??
    new FunctionFailure(
      'type',
      `LENGTH takes a text or a collection, not ${describeValue(value)}`,
      0,
    )
  );
}

function extremeOf(values: List, sign: 1 | -1): FunctionOutcome {
  let extreme: Value = null;
  for (const value of values) {
    if (isAbsent(value)) continue;
    if (extreme === null) extreme = value;
    const order = sortOrder(value, extreme);
    if (order === undefined) {
      const kinds = `${describeValue(extreme)} and ${describeValue(value)}`;
      const name = sign > 0 ? 'GREATEST' : 'LEAST';
      return new FunctionFailure('type', `${name} meets ${kinds}, which have no common order`);
    }
    if (order * sign > 0) extreme = value;
  }
  return extreme;
}
