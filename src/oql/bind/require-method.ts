// Refuses calls of methods that no value has, before any row is read.

import { didYouMean, nearestName } from '../../value/nearest-name.ts';
import { methodNotFound } from '../errors.ts';
import { isGetter, NEVER_CALLABLE, REGION_MUTATORS } from '../methods/call-method.ts';
import { METHOD_NAMES } from '../methods/method-names.ts';
import type { MethodCall } from '../syntax/ast.ts';
import type { Binder } from './binder.ts';

/** A getter without arguments may read a member. Methods that are never permitted fail at run time. */
export function requireMethod(binder: Binder, call: MethodCall): void {
  const { name } = call;
  if (METHOD_NAMES.has(name) || (isGetter(name) && call.arguments.length === 0)) return;
  if (NEVER_CALLABLE.has(name) || REGION_MUTATORS.has(name)) return;
  const nearest = nearestName(name, METHOD_NAMES) ?? findLonger(name);
  const location = binder.locate(call.nameSpan);
  throw methodNotFound(location, `There is no method ${name}`, didYouMean(nearest));
}

/** Too many methods begin with a shorter name. */
const LEAST_BEGINNING = 4;

/** A method whose name begins with this one: `toUpperCase` for `toUpper`. */
function findLonger(name: string): string | undefined {
  if (name.length < LEAST_BEGINNING) return undefined;
  const beginning = name.toLowerCase();
  return [...METHOD_NAMES].find((method) => method.toLowerCase().startsWith(beginning));
}
