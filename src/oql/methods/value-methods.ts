// Methods of everything but strings. A document has only the views of a map.

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
  type ValueMap,
  ValueSet,
} from '../../value/value.ts';
import { attribute, MethodFailure, type MethodTable, overload } from './overload.ts';

export const ANY_METHODS: MethodTable<Value> = new Map([
  ['toString', attribute(printText)],
  ['equals', [overload(['any'], (target: Value, other) => isEqual(target, other))]],
  [
    'compareTo',
    [
      overload(['any'], (target: Value, other) => {
        const order = other === null ? undefined : sortOrder(target, other);
        return order === undefined
          ? new MethodFailure('the two values have no order')
          : Math.sign(order);
      }),
    ],
  ],
]);

export const NUMBER_METHODS: MethodTable<Numeric> = new Map([
  ['intValue', attribute((value: Numeric) => narrow(value, 32, 32))],
  ['longValue', attribute((value: Numeric) => narrow(value, 64, 64))],
  ['shortValue', attribute((value: Numeric) => narrow(value, 32, 16))],
  ['byteValue', attribute((value: Numeric) => narrow(value, 32, 8))],
  ['doubleValue', attribute((value: Numeric) => new Double(toDouble(value)))],
  ['floatValue', attribute((value: Numeric) => new Float(toDouble(value)))],
]);

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

export const BOOLEAN_METHODS: MethodTable<boolean> = new Map([
  ['booleanValue', attribute((value: boolean) => value)],
]);

export const TEMPORAL_METHODS: MethodTable<Temporal> = new Map([
  ['getTime', attribute((date: Temporal) => date.epochMs)],
  ['getNanos', attribute((date: Temporal) => date.nanos)],
  ['after', [overload(['date'], (date: Temporal, other) => (sortOrder(date, other) ?? 0) > 0)]],
  ['before', [overload(['date'], (date: Temporal, other) => (sortOrder(date, other) ?? 0) < 0)]],
]);

/** Methods shared by lists, sets and query results. */
const COLLECTION_METHODS: MethodTable<List> = new Map([
  ['size', attribute((items: List) => items.length)],
  ['isEmpty', attribute((items: List) => items.length === 0)],
  ['contains', [overload(['any'], contains)]],
  [
    'containsAll',
    [
      overload(['collection'], (items: List, others) => {
        const keys = new Set(items.map(hashKey));
        return others.every((other) => keys.has(hashKey(other)));
      }),
    ],
  ],
  ['toArray', attribute((items: List) => items)],
  ['asList', attribute((items: List) => items)],
  ['asSet', attribute((items: List) => createSet(items))],
]);

export const LIST_METHODS: MethodTable<List> = new Map([
  ...COLLECTION_METHODS,
  [
    'get',
    [
      overload(['integer'], (items: List, at) => {
        const item = items[at];
        return item === undefined ? new MethodFailure(`there is no element ${at}`) : item;
      }),
    ],
  ],
]);

/** A set offers the same through its items. */
export const SET_METHODS: MethodTable<ValueSet> = new Map(
  [...COLLECTION_METHODS].map(([name, overloads]) => [
    name,
    overloads.map(({ arity, prepare, misfit }) => ({
      arity,
      misfit,
      prepare: (args: List) => {
        const run = prepare(args);
        return run && ((set: ValueSet) => run(set.items));
      },
    })),
  ]),
);

export const ENTRY_METHODS: MethodTable<Entry> = new Map([
  ['getKey', attribute((entry: Entry) => entry.key)],
  ['getValue', attribute((entry: Entry) => entry.value)],
]);

export const STRUCT_METHODS: MethodTable<Struct> = new Map([
  [
    'get',
    [
      overload(['text'], (struct: Struct, name) => {
        const value = struct.values[struct.names.indexOf(name)];
        return value === undefined ? new MethodFailure(`there is no field ${name}`) : value;
      }),
    ],
  ],
]);

export const MAP_METHODS: MethodTable<ValueMap> = new Map([
  ['size', attribute((map: ValueMap) => map.entries.length)],
  ['isEmpty', attribute((map: ValueMap) => map.entries.length === 0)],
  ['keySet', attribute((map: ValueMap) => createSet(map.entries.map((entry) => entry.key)))],
  ['values', attribute((map: ValueMap) => map.entries.map((entry) => entry.value))],
  ['entrySet', attribute((map: ValueMap) => new ValueSet(map.entries))],
  ['get', [overload(['any'], (map: ValueMap, key) => findValue(map.entries, key) ?? null)]],
  [
    'containsKey',
    [overload(['any'], (map: ValueMap, key) => findValue(map.entries, key) !== undefined)],
  ],
  [
    'containsValue',
    [
      overload(['any'], (map: ValueMap, value) =>
        map.entries.some((entry) => isEqual(entry.value, value)),
      ),
    ],
  ],
]);

/** A document seen as a map; a member of the same name takes precedence. */
export const DOCUMENT_METHODS: MethodTable<Document> = new Map([
  ['size', attribute(({ members }: Document) => members.size)],
  ['keySet', attribute(({ members }: Document) => new ValueSet([...members.keys()]))],
  ['values', attribute(({ members }: Document) => [...members.values()])],
  [
    'entrySet',
    attribute(
      ({ members }: Document) =>
        new ValueSet([...members].map(([name, value]) => new Entry(name, value))),
    ),
  ],
  ['get', [overload(['text'], ({ members }: Document, name) => members.get(name) ?? null)]],
  ['containsKey', [overload(['text'], ({ members }: Document, name) => members.has(name))]],
]);

/** `get` and `containsKey` of a region are answered by its source, without loading the region. */
export const REGION_METHODS: MethodTable<RegionHandle> = new Map([
  ['getName', attribute((region: RegionHandle) => lastSegment(region.name))],
  ['getFullPath', attribute((region: RegionHandle) => `/${region.name}`)],
  ['size', attribute((region: RegionHandle) => region.size)],
  ['isEmpty', attribute((region: RegionHandle) => region.size === 0)],
  ['values', attribute((region: RegionHandle) => region.values)],
  ['getValues', attribute((region: RegionHandle) => region.values)],
  ['asList', attribute((region: RegionHandle) => region.values)],
  ['toArray', attribute((region: RegionHandle) => region.values)],
  ['asSet', attribute((region: RegionHandle) => createSet(region.values))],
  ['keys', attribute((region: RegionHandle) => new ValueSet(region.keys))],
  ['keySet', attribute((region: RegionHandle) => new ValueSet(region.keys))],
  ['getEntries', attribute((region: RegionHandle) => new ValueSet(region.entries))],
  ['entrySet', attribute((region: RegionHandle) => new ValueSet(region.entries))],
  [
    'containsValue',
    [overload(['any'], (region: RegionHandle, value) => contains(region.values, value))],
  ],
]);

function contains(items: List, sought: Value): boolean {
  return items.some((item) => isEqual(item, sought));
}

function findValue(entries: readonly Entry[], key: Value): Value | undefined {
  return entries.find((entry) => isEqual(entry.key, key))?.value;
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
