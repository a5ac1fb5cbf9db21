// The closed table of methods, by the kind of value they are called on. A document has only the
// views of a map.

import { createSet, hashKey, isEqual, sortOrder } from '../../value/compare.ts';
import { printText } from '../../value/json-print.ts';
import { toDouble, toInteger } from '../../value/number.ts';
import {
  type Document,
  Double,
  Entry,
  Float,
  type Integer,
  isInteger,
  type List,
  type Numeric,
  type RegionHandle,
  type Struct,
  type Temporal,
  type Value,
  type ValueKind,
  type ValueMap,
  ValueSet,
} from '../../value/value.ts';
import {
  MethodFailure,
  type Methods,
  type MethodTable,
  methodTable,
  overload,
} from './overload.ts';
import { STRING_METHODS } from './string-methods.ts';

/** Methods that values of every kind share. */
export const ANY_METHODS: MethodTable = methodTable<Value>({
  toString: printText,
  equals: overload(['any'], isEqual),
  compareTo: overload(['any'], (target, other) => {
    const order = other === null ? undefined : sortOrder(target, other);
    return order === undefined
      ? new MethodFailure('the two values have no order')
      : Math.sign(order);
  }),
});

const NONE: MethodTable = new Map();

export const METHOD_TABLES: Readonly<Record<ValueKind, MethodTable>> = {
  null: NONE,
  undefined: NONE,
  boolean: methodTable<boolean>({ booleanValue: (value) => value }),
  number: methodTable<Numeric>({
    intValue: (value) => narrow(value, 32, 32),
    longValue: (value) => narrow(value, 64, 64),
    shortValue: (value) => narrow(value, 32, 16),
    byteValue: (value) => narrow(value, 32, 8),
    doubleValue: (value) => new Double(toDouble(value)),
    floatValue: (value) => new Float(toDouble(value)),
  }),
  string: STRING_METHODS,
  char: NONE,
  temporal: methodTable<Temporal>({
    getTime: (date) => date.epochMs,
    getNanos: (date) => date.nanos,
    after: overload(['date'], (date, other) => (sortOrder(date, other) ?? 0) > 0),
    before: overload(['date'], (date, other) => (sortOrder(date, other) ?? 0) < 0),
  }),
  list: methodTable<List>({
    ...collectionMethods((items: List) => items),
    get: overload(['integer'], (items, at) => {
      const item = items[at];
      return item === undefined ? new MethodFailure(`there is no element ${at}`) : item;
    }),
  }),
  set: methodTable<ValueSet>(collectionMethods(({ items }: ValueSet) => items)),
  map: methodTable<ValueMap>({
    size: ({ entries }) => entries.length,
    isEmpty: ({ entries }) => entries.length === 0,
    keySet: ({ entries }) => createSet(entries.map((entry) => entry.key)),
    values: ({ entries }) => entries.map((entry) => entry.value),
    entrySet: ({ entries }) => new ValueSet(entries),
    get: overload(['any'], ({ entries }, key) => findValue(entries, key) ?? null),
    containsKey: overload(['any'], ({ entries }, key) => findValue(entries, key) !== undefined),
    containsValue: overload(['any'], ({ entries }, value) =>
      entries.some((entry) => isEqual(entry.value, value)),
    ),
  }),
  // A member of the same name takes precedence.
  document: methodTable<Document>({
    size: ({ members }) => members.size,
    keySet: ({ members }) => new ValueSet([...members.keys()]),
    values: ({ members }) => [...members.values()],
    entrySet: ({ members }) =>
      new ValueSet([...members].map(([name, value]) => new Entry(name, value))),
    get: overload(['text'], ({ members }, name) => members.get(name) ?? null),
    containsKey: overload(['text'], ({ members }, name) => members.has(name)),
  }),
  struct: methodTable<Struct>({
    get: overload(['text'], ({ names, values }, name) => {
      const value = values[names.indexOf(name)];
      return value === undefined ? new MethodFailure(`there is no field ${name}`) : value;
    }),
  }),
  entry: methodTable<Entry>({ getKey: ({ key }) => key, getValue: ({ value }) => value }),
  // `get` and `containsKey` of a region are answered by its source, without loading the region.
  region: methodTable<RegionHandle>({
    getName: ({ name }) => name.slice(name.lastIndexOf('/') + 1),
    getFullPath: ({ name }) => `/${name}`,
    size: ({ size }) => size,
    isEmpty: ({ size }) => size === 0,
    values: ({ values }) => values,
    getValues: ({ values }) => values,
    asList: ({ values }) => values,
    toArray: ({ values }) => values,
    asSet: ({ values }) => createSet(values),
    keys: ({ keys }) => new ValueSet(keys),
    keySet: ({ keys }) => new ValueSet(keys),
    getEntries: ({ entries }) => new ValueSet(entries),
    entrySet: ({ entries }) => new ValueSet(entries),
    containsValue: overload(['any'], ({ values }, value) => contains(values, value)),
  }),
};

/** Methods shared by lists, sets and query results. */
function collectionMethods<Target>(itemsOf: (target: Target) => List): Methods<Target> {
  return {
    size: (target) => itemsOf(target).length,
    isEmpty: (target) => itemsOf(target).length === 0,
    contains: overload(['any'], (target: Target, value) => contains(itemsOf(target), value)),
    containsAll: overload(['collection'], (target: Target, others) => {
      const keys = new Set(itemsOf(target).map(hashKey));
      return others.every((other) => keys.has(hashKey(other)));
    }),
    toArray: itemsOf,
    asList: itemsOf,
    asSet: (target) => createSet(itemsOf(target)),
  };
}

/** Narrows as Java does: fractions are truncated and saturate, integers lose their high bits. */
function narrow(value: Numeric, saturateBits: number, keepBits: number): Integer {
  if (isInteger(value)) return toInteger(BigInt.asIntN(keepBits, BigInt(value)));
  if (Number.isNaN(value.value)) return 0;
  const highest = 2n ** BigInt(saturateBits - 1) - 1n;
  const bound = Number(highest);
  if (value.value >= bound) return toInteger(BigInt.asIntN(keepBits, highest));
  if (value.value <= -bound) return toInteger(BigInt.asIntN(keepBits, -highest - 1n));
  return toInteger(BigInt.asIntN(keepBits, BigInt(Math.trunc(value.value))));
}

function contains(items: List, value: Value): boolean {
  return items.some((item) => isEqual(item, value));
}

function findValue(entries: readonly Entry[], key: Value): Value | undefined {
  return entries.find((entry) => isEqual(entry.key, key))?.value;
}
