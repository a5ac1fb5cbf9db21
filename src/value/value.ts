// The data model: every value of an OQL expression. Null, booleans, strings, arrays and integers
// (number or bigint) are JavaScript's own values; the rest are small immutable classes,
// distinguished by `instanceof`. Integers and doubles never share a representation, because `21 /
// 2` and `21.0 / 2` differ.

/** The second "no value" beside null: an absent member, an attribute of null, an unknown method. */
export const UNDEFINED: unique symbol = Symbol('UNDEFINED');
export type Undefined = typeof UNDEFINED;

/**
 * An exact whole number. A `number` is always a safe integer, and a `bigint` always lies outside
 * the safe range, so every integer has exactly one representation. The exception is a stored `-0`:
 * it equals 0, but stays the number -0 so that it prints as it was sent.
 */
export type Integer = number | bigint;

/**
 * A number written with a fraction or an exponent. It compares and computes as its nearest double;
 * digits beyond that are kept in `text` for printing only.
 */
export class Double {
  readonly value: number;
  /** How the number was written in stored JSON; undefined for a computed one. */
  readonly text: string | undefined;

  constructor(value: number, text?: string) {
    this.value = value;
    this.text = text;
  }
}

/** A 32-bit float, from an `f` literal or a bind parameter: `1.1f <> 1.1`. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = Math.fround(value);
  }
}

export type Numeric = Integer | Double | Float;

/** One UTF-16 code unit; never equal to a string. */
export class Char {
  readonly unit: string;

  constructor(unit: string) {
    this.unit = unit;
  }
}

export type TemporalKind = 'date' | 'time' | 'timestamp' | 'instant';

/** A point in time. All kinds compare by instant; the kind decides only how it is printed. */
export class Temporal {
  readonly kind: TemporalKind;
  readonly epochMs: number;
  /** Nanoseconds within the second, for timestamps; its milliseconds are in `epochMs` too. */
  readonly nanos: number;

  constructor(kind: TemporalKind, epochMs: number, nanos?: number) {
    this.kind = kind;
    this.epochMs = epochMs;
    this.nanos = nanos ?? (((epochMs % 1000) + 1000) % 1000) * 1_000_000;
  }
}

/** A JSON object. Members keep their order; any name, `__proto__` too, is an ordinary one. */
export class Document {
  readonly members: ReadonlyMap<string, Value>;
  /** The stored JSON text of exactly this object; undefined for one built in memory. */
  readonly text: string | undefined;

  constructor(members: ReadonlyMap<string, Value>, text?: string) {
    this.members = members;
    this.text = text;
  }
}

/** A collection without duplicates (`createSet` in compare.ts removes them), in first-seen order. */
export class ValueSet {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

/** Keys of any kind to values. JSON has none: maps come from bind parameters of the engine API. */
export class ValueMap {
  readonly entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.entries = entries;
  }
}

/** A result row with named fields. Names are unique within a struct. */
export class Struct {
  readonly names: readonly string[];
  readonly values: readonly Value[];

  constructor(names: readonly string[], values: readonly Value[]) {
    this.names = names;
    this.values = values;
  }
}

/** An element of `/r.entries`, or of a map or document seen as a map. */
export class Entry {
  readonly key: Value;
  readonly value: Value;

  constructor(key: Value, value: Value) {
    this.key = key;
    this.value = value;
  }
}

/**
 * A region named in a query. It has entries only if the query iterates over them; the executor
 * loads them before it starts, so that expressions stay synchronous.
 */
export class RegionHandle {
  readonly name: string;
  readonly size: number;
  readonly #entries: readonly Entry[] | undefined;
  #keys: List | undefined;
  #values: List | undefined;

  constructor(name: string, size: number, entries?: readonly Entry[]) {
    this.name = name;
    this.size = size;
    this.#entries = entries;
  }

  get entries(): readonly Entry[] {
    if (this.#entries === undefined) throw new Error(`region ${this.name} was not loaded`);
    return this.#entries;
  }

  get keys(): List {
    this.#keys ??= this.entries.map((entry) => entry.key);
    return this.#keys;
  }

  /** Null is an invalidated entry, which has no value to iterate over. */
  get values(): List {
    this.#values ??= this.entries.map((entry) => entry.value).filter((value) => value !== null);
    return this.#values;
  }
}

/** A JSON array, or a query result. */
export type List = readonly Value[];

export type Value =
  | null
  | Undefined
  | boolean
  | string
  | Numeric
  | Char
  | Temporal
  | List
  | Document
  | ValueSet
  | ValueMap
  | Struct
  | Entry
  | RegionHandle;

export type ValueKind =
  | 'null'
  | 'undefined'
  | 'boolean'
  | 'number'
  | 'string'
  | 'char'
  | 'temporal'
  | 'list'
  | 'set'
  | 'map'
  | 'document'
  | 'struct'
  | 'entry'
  | 'region';

/** The kind decides what compares with what: values of different kinds are never equal. */
export function kindOf(value: Value): ValueKind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'symbol':
      return 'undefined';
    default:
      return value === null ? 'null' : kindOfObject(value);
  }
}

type ObjectValue = Extract<Value, object>;

function kindOfObject(value: ObjectValue): ValueKind {
  if (value instanceof Document) return 'document';
  if (value instanceof Double || value instanceof Float) return 'number';
  if (isList(value)) return 'list';
  if (value instanceof Struct) return 'struct';
  if (value instanceof Entry) return 'entry';
  if (value instanceof ValueSet) return 'set';
  if (value instanceof Temporal) return 'temporal';
  if (value instanceof Char) return 'char';
  if (value instanceof ValueMap) return 'map';
  return 'region';
}

/** `Array.isArray`, which by itself does not narrow a readonly array out of a union. */
export function isList(value: Value): value is List {
  return Array.isArray(value);
}

export function isNumeric(value: Value): value is Numeric {
  return (
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    value instanceof Double ||
    value instanceof Float
  );
}

export function isInteger(value: Value): value is Integer {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** True for null and UNDEFINED; use it only for rules that treat them the same. */
export function isAbsent(value: Value): value is null | Undefined {
  return value === null || value === UNDEFINED;
}
