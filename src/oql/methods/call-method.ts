// Calls into the closed table of methods: `a.m(x)`, and `a.m` where `a` is no document or struct.
// Nothing outside the table can be called, whatever a query names.

import {
  Document,
  isAbsent,
  kindOf,
  RegionHandle,
  Struct,
  UNDEFINED,
  type Value,
} from '../../value/value.ts';
import { fieldNotFound, methodFailed, methodNotPermitted, type Place } from '../errors.ts';
import { METHOD_TABLES } from './method-tables.ts';
import { MethodFailure, type Overload } from './overload.ts';
import { ANY_METHODS, DOCUMENT_METHODS } from './value-methods.ts';

interface MethodCall {
  readonly target: Value;
  readonly name: string;
  readonly args: readonly Value[];
  readonly place: Place;
}

const NEVER_CALLABLE: ReadonlySet<string> = new Set([
  'getClass',
  'readObject',
  'readResolve',
  'readObjectNoData',
  'writeObject',
  'writeReplace',
]);

/** Not `putIfAbsent`: the language knows no such method, so it is UNDEFINED like any other. */
const REGION_MUTATORS: ReadonlySet<string> = new Set([
  'clear',
  'close',
  'create',
  'destroy',
  'destroyRegion',
  'invalidate',
  'invalidateRegion',
  'localDestroy',
  'localInvalidate',
  'put',
  'putAll',
  'remove',
  'removeAll',
  'replace',
]);

/**
 * The result of a method. UNDEFINED for a receiver or argument that is no value, and for a method
 * that does not exist; only a struct insists on its names.
 */
export function callMethod(call: MethodCall): Value {
  const { target, name, args, place } = call;
  if (isAbsent(target) || args.includes(UNDEFINED)) return UNDEFINED;
  const isMutator = target instanceof RegionHandle && REGION_MUTATORS.has(name);
  if (isMutator || NEVER_CALLABLE.has(name)) throw methodNotPermitted(place, name);
  const result = invoke(call);
  if (result !== undefined) return result;
  if (target instanceof Document && args.length === 0) return readBeanMember(target, name);
  if (target instanceof Struct) throw fieldNotFound(place, name);
  return UNDEFINED;
}

/**
 * A method named without parentheses: `name` itself, or `getName`. Of a document only the views of
 * a map, for any other name means a member that it does not have.
 */
export function readAttribute(target: Value, name: string, place: Place): Value {
  if (target instanceof Document && !DOCUMENT_METHODS.has(name)) return UNDEFINED;
  for (const method of [name, `get${capitalize(name)}`]) {
    const result = invoke({ target, name: method, args: [], place });
    if (result !== undefined) return result;
  }
  return UNDEFINED;
}

/** Undefined when there is no such method for these arguments; null is a result like any other. */
function invoke({ target, name, args, place }: MethodCall): Value | undefined {
  const own = METHOD_TABLES[kindOf(target)].get(name) ?? [];
  const result = callFirst([...own, ...(ANY_METHODS.get(name) ?? [])], target, args);
  if (result instanceof MethodFailure) throw methodFailed(place, name, result.reason);
  return result;
}

function callFirst(
  overloads: readonly Overload<Value>[],
  target: Value,
  args: readonly Value[],
): Value | MethodFailure | undefined {
  for (const { call } of overloads) {
    const result = call(target, args);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** `getTotal()` reads the member `total`, or `Total`. */
function readBeanMember({ members }: Document, name: string): Value {
  if (!name.startsWith('get') || name.length === 3) return UNDEFINED;
  const property = name.slice(3);
  const decapitalized = property.charAt(0).toLowerCase() + property.slice(1);
  const value = members.get(members.has(decapitalized) ? decapitalized : property);
  return value === undefined ? UNDEFINED : value;
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
