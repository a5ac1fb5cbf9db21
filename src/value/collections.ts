// What counts as a collection, and what its elements are.

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

/** What a FROM clause goes through: null has no elements, a single value is its own element. */
export function toIterated(value: Value): List {
  if (isAbsent(value)) return [];
  return toCollection(value) ?? [value];
}
