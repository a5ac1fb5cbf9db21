// The names of the closed table of methods, for those who must tell a method from something else.

import { STRING_METHODS } from './string-methods.ts';
import {
  ANY_METHODS,
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

/** Of values that stored JSON can hold. */
export const JSON_METHOD_NAMES: ReadonlySet<string> = new Set([
  ...ANY_METHODS.keys(),
  ...BOOLEAN_METHODS.keys(),
  ...DOCUMENT_METHODS.keys(),
  ...LIST_METHODS.keys(),
  ...NUMBER_METHODS.keys(),
  ...STRING_METHODS.keys(),
]);

/** Of every value. */
export const METHOD_NAMES: ReadonlySet<string> = new Set([
  ...JSON_METHOD_NAMES,
  ...ENTRY_METHODS.keys(),
  ...MAP_METHODS.keys(),
  ...REGION_METHODS.keys(),
  ...SET_METHODS.keys(),
  ...STRUCT_METHODS.keys(),
  ...TEMPORAL_METHODS.keys(),
]);
