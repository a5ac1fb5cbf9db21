// Values to the JSON text of query results. A stored object is copied from its own text, so that
// numbers and members come out as they went in; only a stored `@type` is renamed on the way.
// Temporal values print in the form of their literals, UNDEFINED and non-finite numbers as null.

import { printNumber } from './number.ts';
import { printTemporal } from './temporal.ts';
import {
  Char,
  Document,
  Double,
  Entry,
  Float,
  isList,
  Struct,
  Temporal,
  type Value,
  ValueMap,
  ValueSet,
} from './value.ts';

const STORED_TYPE = '@type';
const PRINTED_TYPE = 'type-class';

/** Prints one value as it appears in a query result. */
export function printJson(value: Value): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
    case 'bigint':
      return printNumber(value);
    case 'boolean':
      return String(value);
    case 'symbol':
      return 'null';
    default:
      return value === null ? 'null' : printObject(value);
  }
}

function printObject(value: Extract<Value, object>): string {
  if (value instanceof Document) return printDocument(value);
  if (value instanceof Double || value instanceof Float) return printNumber(value);
  if (isList(value)) return printItems(value);
  if (value instanceof Struct) return printStruct(value);
  if (value instanceof ValueSet) return printItems(value.items);
  if (value instanceof Temporal) return JSON.stringify(printTemporal(value));
  if (value instanceof Char) return JSON.stringify(value.unit);
  if (value instanceof Entry) {
    return `{"key":${printJson(value.key)},"value":${printJson(value.value)}}`;
  }
  if (value instanceof ValueMap) return printMap(value);
  return printItems(value.values);
}

function printItems(items: readonly Value[]): string {
  return `[${items.map(printJson).join()}]`;
}

function printStruct(struct: Struct): string {
  return printMembers(struct.names.map((name, index) => [name, struct.values[index] ?? null]));
}

function printMap(map: ValueMap): string {
  return printMembers(map.entries.map((entry) => [printText(entry.key), entry.value]));
}

/** The text of a scalar: a string or char as it is, anything else as its JSON. */
export function printText(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Char) return value.unit;
  if (value instanceof Temporal) return printTemporal(value);
  return printJson(value);
}

function printMembers(members: readonly (readonly [string, Value])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${printJson(value)}`).join()}}`;
}

function printDocument(document: Document): string {
  if (document.text !== undefined && !mayHoldType(document.text)) return document.text;
  const members = [...document.members];
  if (!document.members.has(STORED_TYPE)) return printMembers(members);
  // A member already called `type-class` gives way, since a name may appear only once.
  return printMembers(
    members.flatMap(([name, value]) => {
      if (name === PRINTED_TYPE) return [];
      return [[name === STORED_TYPE ? PRINTED_TYPE : name, value] as const];
    }),
  );
}

/** False only if no object in the text has an `@type`, also not one spelled with escapes. */
function mayHoldType(text: string): boolean {
  return text.includes(STORED_TYPE) || text.includes('\\u');
}
