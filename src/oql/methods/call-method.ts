// Calls into the closed table of methods: `a.m(x)`, and `a.m` if `a` is not a document or struct.
// Nothing outside the table can be called.

import { capitalize, describeValue } from '../../value/describe-value.ts';
import { didYouMean, nearestName } from '../../value/nearest-name.ts';
import { printAmount } from '../../value/print-amount.ts';
import {
  Document,
  isAbsent,
  kindOf,
  RegionHandle,
  Struct,
  UNDEFINED,
  type Value,
  type ValueKind,
} from '../../value/value.ts';
import {
  fieldNotFound,
  type Location,
  methodFailed,
  methodNotFound,
  methodNotPermitted,
  type OqlError,
} from '../errors.ts';
import { ANY_METHODS, METHOD_TABLES } from './method-tables.ts';
import { MethodFailure, type Overload } from './overload.ts';

export const NEVER_CALLABLE: ReadonlySet<string> = new Set([
  'getClass',
  'readObject',
  'readResolve',
  'readObjectNoData',
  'writeObject',
  'writeReplace',
]);

export const REGION_MUTATORS: ReadonlySet<string> = new Set([
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
  'putIfAbsent',
  'putAll',
  'remove',
  'removeAll',
  'replace',
]);

/** The value of a method for a target and arguments. Throws `OqlError` if there is none. */
type CallMethod = (target: Value, args: readonly Value[]) => Value;

/**
 * Prepares the calls of one method at one position of a query. UNDEFINED for an absent receiver or
 * argument; throws for a method that does not exist. Work on the arguments (compiling a regular
 * expression, above all) is cached while the arguments stay the same.
 */
export function prepareCall(
  name: string,
  location: Location,
  argumentLocations: readonly Location[] = [],
): CallMethod {
  const invoke = prepareInvoke(name, location);
  return (target, args) => {
    if (isAbsent(target) || args.includes(UNDEFINED)) return UNDEFINED;
    const isMutator = target instanceof RegionHandle && REGION_MUTATORS.has(name);
    if (isMutator || NEVER_CALLABLE.has(name)) throw methodNotPermitted(location, name);
    const result = invoke(target, args);
    if (result !== undefined) return result;
    if (target instanceof Document && args.length === 0 && isGetter(name)) {
      return readBeanMember(target, name);
    }
    if (target instanceof Struct) throw fieldNotFound(location, name);
    throw missingMethod(target, name, args, { whole: location, arguments: argumentLocations });
  };
}

/**
 * A method named without parentheses: `name` itself, or `getName`. A document has only the views of
 * a map, because any other name is an absent member.
 */
export function readAttribute(target: Value, name: string, location: Location): Value {
  if (target instanceof Document && !METHOD_TABLES.document.has(name)) return UNDEFINED;
  for (const method of [name, `get${capitalize(name)}`]) {
    const result = prepareInvoke(method, location)(target, NO_ARGUMENTS);
    if (result !== undefined) return result;
  }
  return UNDEFINED;
}

const NO_ARGUMENTS: readonly Value[] = [];

type PreparedCall = (target: Value) => Value | MethodFailure;

/** Undefined when there is no such method for these arguments; null is an ordinary result. */
function prepareInvoke(
  name: string,
  location: Location,
): (target: Value, args: readonly Value[]) => Value | undefined {
  let lastKind: ValueKind | undefined;
  let lastArgs: readonly Value[] = NO_ARGUMENTS;
  let call: PreparedCall | undefined;
  return (target, args) => {
    const kind = kindOf(target);
    if (kind !== lastKind || args.some((argument, at) => argument !== lastArgs[at])) {
      call = findCall(kind, name, args);
      lastKind = kind;
      lastArgs = args;
    }
    const result = call?.(target);
    if (result instanceof MethodFailure) throw methodFailed(location, name, result.reason);
    return result;
  };
}

function findCall(kind: ValueKind, name: string, args: readonly Value[]): PreparedCall | undefined {
  for (const { prepare } of overloadsOf(kind, name)) {
    const call = prepare(args);
    if (call !== undefined) return call;
  }
  return undefined;
}

function overloadsOf(kind: ValueKind, name: string): readonly Overload<Value>[] {
  return [...(METHOD_TABLES[kind].get(name) ?? []), ...(ANY_METHODS.get(name) ?? [])];
}

/** Either the value has no such method at all, or none that takes these arguments. */
function missingMethod(
  target: Value,
  name: string,
  args: readonly Value[],
  locations: { readonly whole: Location; readonly arguments: readonly Location[] },
): OqlError {
  const kind = kindOf(target);
  const location = locations.whole;
  const overloads = overloadsOf(kind, name);
  if (overloads.length > 0) {
    const fitting = overloads.filter(({ arity }) => arity === args.length);
    if (fitting.length === 0) {
      const count = printAmount(args.length, 'argument');
      return methodNotFound(location, `The method ${name} does not take ${count}`);
    }
    // Of several overloads, the one that accepts the most arguments before a wrong one.
    const position = Math.max(...fitting.map(({ misfit }) => misfit(args)));
    const wrong = describeValue(args[position] ?? null);
    const reason = `The method ${name} does not take ${wrong} as argument ${position + 1}`;
    return methodNotFound(locations.arguments[position] ?? location, reason);
  }
  const nearest = nearestName(name, [...METHOD_TABLES[kind].keys(), ...ANY_METHODS.keys()]);
  const reason = `${capitalize(describeValue(target))} has no method ${name}`;
  return methodNotFound(location, reason, didYouMean(nearest));
}

/** Whether the name is a getter, which may be a member: `getTotal`. */
export function isGetter(name: string): boolean {
  return name.startsWith('get') && name.length > 3;
}

/** `getTotal()` reads the member `total`, or `Total`. */
function readBeanMember({ members }: Document, name: string): Value {
  const property = name.slice(3);
  const decapitalized = property.charAt(0).toLowerCase() + property.slice(1);
  const value = members.get(members.has(decapitalized) ? decapitalized : property);
  return value === undefined ? UNDEFINED : value;
}
