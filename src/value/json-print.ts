// Prints values as the JSON of query results. A stored object is copied from its own text, so that
// numbers and members come out as they went in; only a stored `@type` may be renamed on the way.
// Temporal values print in the form of their literals. The form (result-form.ts) determines how
// UNDEFINED and non-finite numbers print.

import { printNumber } from './number.ts';
import { OWN_FORM, type ResultForm } from './result-form.ts';
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

/** Prints one value as it appears in a query result. */
export function printJson(value: Value, form: ResultForm = OWN_FORM): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
    case 'bigint':
      return printNumber(value);
    case 'boolean':
      return String(value);
    case 'symbol':
      return form.missing;
    default:
      return value === null ? 'null' : printObject(value, form);
  }
}

function printObject(value: Extract<Value, object>, form: ResultForm): string {
  if (value instanceof Document) return printDocument(value, form);
  if (value instanceof Double || value instanceof Float) return printFraction(value, form);
  if (isList(value)) return printItems(value, form);
  if (value instanceof Struct) return printStruct(value, form);
  if (value instanceof ValueSet) return printItems(value.items, form);
  if (value instanceof Temporal) return JSON.stringify(printTemporal(value));
  if (value instanceof Char) return JSON.stringify(value.unit);
  if (value instanceof Entry) {
    return `{"key":${printJson(value.key, form)},"value":${printJson(value.value, form)}}`;
  }
  if (value instanceof ValueMap) return printMap(value, form);
  return printItems(value.values, form);
}

function printFraction(value: Double | Float, form: ResultForm): string {
  if (form.nonFinite === 'null' || Number.isFinite(value.value)) return printNumber(value);
  return JSON.stringify(String(value.value));
}

function printItems(items: readonly Value[], form: ResultForm): string {
  return `[${items.map((item) => printJson(item, form)).join()}]`;
}

function printStruct(struct: Struct, form: ResultForm): string {
  const members = struct.names.map((name, index) => [name, struct.values[index] ?? null] as const);
  return printMembers(members, form);
}

function printMap(map: ValueMap, form: ResultForm): string {
  const members = map.entries.map((entry) => [printText(entry.key), entry.value] as const);
  return printMembers(members, form);
}

/** The text of a scalar: a string or char as it is, anything else as its JSON. */
export function printText(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Char) return value.unit;
  if (value instanceof Temporal) return printTemporal(value);
  return printJson(value);
}

function printMembers(members: readonly (readonly [string, Value])[], form: ResultForm): string {
  const printed = members.map(
    ([name, value]) => `${JSON.stringify(name)}:${printJson(value, form)}`,
  );
  return `{${printed.join()}}`;
}

function printDocument(document: Document, form: ResultForm): string {
  const { members, text } = document;
  const keepsType = form.typeName === STORED_TYPE;
  if (text !== undefined && (keepsType || !mayHoldType(text))) return text;
  if (keepsType || !members.has(STORED_TYPE)) return printMembers([...members], form);
  // A member that already has the printed name is dropped, since a name may appear only once.
  const renamed = [...members].flatMap(([name, value]) => {
    if (name === form.typeName) return [];
    return [[name === STORED_TYPE ? form.typeName : name, value] as const];
  });
  return printMembers(renamed, form);
}

/** False only if no object in the text has an `@type`, not even one spelled with escapes. */
function mayHoldType(text: string): boolean {
  return text.includes(STORED_TYPE) || text.includes('\\u');
}
