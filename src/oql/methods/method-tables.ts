// The closed table of methods, by the kind of value they are called on.

import type { Value, ValueKind } from '../../value/value.ts';
import type { MethodTable } from './overload.ts';
import { STRING_METHODS } from './string-methods.ts';
import {
  BOOLEAN_METHODS,
  DOCUMENT_METHODS,
  ENTRY_METHODS,
  LIST_METHODS,
  MAP_METHODS,
  NUMBER_METHODS,
  REGION_METHODS,
  SET_METHODS,
  STRUCT_METHODS,
  TEMPORAL_METHODS,
} from './value-methods.ts';

const NONE: MethodTable<never> = new Map();

/** `ANY_METHODS` has the methods that values of every kind share. */
export const METHOD_TABLES: Readonly<Record<ValueKind, MethodTable<Value>>> = {
  null: NONE,
  undefined: NONE,
  boolean: BOOLEAN_METHODS,
  number: NUMBER_METHODS,
  string: STRING_METHODS,
  char: NONE,
  temporal: TEMPORAL_METHODS,
  list: LIST_METHODS,
  set: SET_METHODS,
  map: MAP_METHODS,
  document: DOCUMENT_METHODS,
  struct: STRUCT_METHODS,
  entry: ENTRY_METHODS,
  region: REGION_METHODS,
  // A table is only used with a target of its own kind, which the type cannot express.
} as unknown as Readonly<Record<ValueKind, MethodTable<Value>>>;
