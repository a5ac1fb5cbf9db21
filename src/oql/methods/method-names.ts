// The names of the closed table of methods, for those who must tell a method from something else.

import type { ValueKind } from '../../value/value.ts';
import { METHOD_TABLES } from './method-tables.ts';
import { ANY_METHODS } from './value-methods.ts';

const JSON_KINDS: readonly ValueKind[] = ['boolean', 'number', 'string', 'list', 'document'];

/** Of values that stored JSON can hold. */
export const JSON_METHOD_NAMES: ReadonlySet<string> = new Set([
  ...ANY_METHODS.keys(),
  ...JSON_KINDS.flatMap((kind) => [...METHOD_TABLES[kind].keys()]),
]);

/** Of every value. */
export const METHOD_NAMES: ReadonlySet<string> = new Set([
  ...ANY_METHODS.keys(),
  ...Object.values(METHOD_TABLES).flatMap((table) => [...table.keys()]),
]);
