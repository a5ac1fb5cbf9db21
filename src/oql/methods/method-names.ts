// The names in the closed table of methods, and those that only look like methods.

import { capitalize } from '../../value/describe-value.ts';
import type { ValueKind } from '../../value/value.ts';
import { ANY_METHODS, METHOD_TABLES } from './method-tables.ts';

const JSON_KINDS: readonly ValueKind[] = ['boolean', 'number', 'string', 'list', 'document'];

/** Methods of values that JSON can have. */
export const JSON_METHOD_NAMES: ReadonlySet<string> = new Set([
  ...ANY_METHODS.keys(),
  ...JSON_KINDS.flatMap((kind) => [...METHOD_TABLES[kind].keys()]),
]);

/** Whether a name may call a method of a value instead of reading a member: `o.tags.size`. */
export function isAttributeName(name: string): boolean {
  return JSON_METHOD_NAMES.has(name) || JSON_METHOD_NAMES.has(`get${capitalize(name)}`);
}

/** Methods of all values. */
export const METHOD_NAMES: ReadonlySet<string> = new Set([
  ...ANY_METHODS.keys(),
  ...Object.values(METHOD_TABLES).flatMap((table) => [...table.keys()]),
]);

/** The numbers of arguments that methods of a name take. */
const ARITIES = new Map<string, Set<number>>();
for (const table of [ANY_METHODS, ...Object.values(METHOD_TABLES)]) {
  for (const [name, overloads] of table) {
    const arities = ARITIES.get(name) ?? new Set();
    for (const { arity } of overloads) arities.add(arity);
    ARITIES.set(name, arities);
  }
}

/** Whether any value has a method of that name with so many arguments. */
export function takesArguments(name: string, count: number): boolean {
  return ARITIES.get(name)?.has(count) ?? false;
}
