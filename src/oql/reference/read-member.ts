// `a.b`, `a[i]`: reading parts of values. For a value that is not a document or a struct, `a.b`
// calls a method without arguments, whose parentheses are optional.

import { hashKey } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import {
  Char,
  Document,
  isAbsent,
  isInteger,
  isList,
  RegionHandle,
  Struct,
  UNDEFINED,
  type Value,
  ValueMap,
} from '../../value/value.ts';
import { fieldNotFound, indexOutOfRange, type Location, typeMismatch } from '../errors.ts';
import { readAttribute } from '../methods/call-method.ts';

/** A member of a value; UNDEFINED if there is no such member, or no value. */
export function readMember(target: Value, name: string, location: Location): Value {
  if (isAbsent(target)) return UNDEFINED;
  if (target instanceof Struct) return readField(target, name, location);
  const member = target instanceof Document ? target.members.get(name) : undefined;
  return member !== undefined ? member : readAttribute(target, name, location);
}

/** Unlike a document, a struct has the fields of its query, so another name is an error. */
function readField(struct: Struct, name: string, location: Location): Value {
  const value = struct.values[struct.names.indexOf(name)];
  if (value !== undefined) return value;
  throw fieldNotFound(location, name, `Its fields are ${struct.names.join(', ')}.`);
}

/** An element by position, or a value by key: an absent key gives null, a wrong position fails. */
export function readIndex(target: Value, index: Value, location: Location): Value {
  if (isAbsent(target)) return UNDEFINED;
  if (target instanceof Document) {
    return typeof index === 'string' ? (target.members.get(index) ?? null) : null;
  }
  if (target instanceof ValueMap || target instanceof RegionHandle) {
    return findByKey(target.entries, index);
  }
  if (typeof target === 'string') {
    return new Char(target.charAt(requirePosition(target.length, index, location)));
  }
  if (isList(target)) return target[requirePosition(target.length, index, location)] ?? null;
  throw typeMismatch(location, `Cannot take an element of ${describeValue(target)} by [ ]`);
}

function findByKey(entries: readonly { key: Value; value: Value }[], key: Value): Value {
  const hash = hashKey(key);
  return entries.find((entry) => hashKey(entry.key) === hash)?.value ?? null;
}

function requirePosition(size: number, index: Value, location: Location): number {
  if (!isInteger(index)) {
    throw typeMismatch(location, `A position must be an integer, not ${describeValue(index)}`);
  }
  if (index >= 0 && index < size) return Number(index);
  throw indexOutOfRange(location, Number(index), size);
}
