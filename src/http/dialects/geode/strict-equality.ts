// Equality as Geode's compare-and-set defines it. 56 and 56.0 have different types, so they differ.
// The order of members does not matter, and a null member equals an absent one.

import { parseJson } from '../../../value/json-parse.ts';
import { Document, Double, isList, type Value } from '../../../value/value.ts';

/** Whether two valid JSON texts denote the same document to Geode. */
export function equalStrictly(left: string, right: string): boolean {
  return left === right || equalValues(parseJson(left), parseJson(right));
}

function equalValues(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (left instanceof Double) return right instanceof Double && Object.is(left.value, right.value);
  if (isList(left)) return isList(right) && equalItems(left, right);
  return left instanceof Document && right instanceof Document && equalMembers(left, right);
}

function equalItems(left: readonly Value[], right: readonly Value[]): boolean {
  return (
    left.length === right.length &&
    left.every((item, index) => equalValues(item, right[index] ?? null))
  );
}

function equalMembers(left: Document, right: Document): boolean {
  const names = new Set([...left.members.keys(), ...right.members.keys()]);
  return [...names].every((name) =>
    equalValues(left.members.get(name) ?? null, right.members.get(name) ?? null),
  );
}
