// Collections of the language, and their elements.

import {
  isAbsent,
  isList,
  type List,
  RegionHandle,
  type Value,
  ValueMap,
  ValueSet,
} from './value.ts';

/**
 * The elements of a list, set, map (its entries) or region (its values); undefined for everything
 * else. A document is a record, not a collection.
 */
export function toCollection(value: Value): List | undefined {
  if (isList(value)) return value;
  if (value instanceof ValueSet) return value.items;
  if (value instanceof ValueMap) return value.entries;
  return value instanceof RegionHandle ? value.values : undefined;
}

/** The elements that a FROM clause iterates over: none for null, the value itself for a scalar. */
export function toIterated(value: Value): List {
  if (isAbsent(value)) return [];
  return toCollection(value) ?? [value];
}
