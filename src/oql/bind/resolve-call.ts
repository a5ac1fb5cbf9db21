// Resolves unqualified calls. A call is a function of the table, or a method on the row of an
// iterator, which is all that Geode knows. Where a name is both, its spelling, its arguments and
// whether the row can be a string decide.

import { didYouMean } from '../../value/nearest-name.ts';
import { printAmount } from '../../value/print-amount.ts';
import { Temporal } from '../../value/value.ts';
import { functionDomain, nameUnresolved } from '../errors.ts';
import type { FunctionDefinition } from '../functions/function-definition.ts';
import { findFunction, nearestFunction } from '../functions/function-table.ts';
import { EXISTS } from '../functions/operator-functions.ts';
import { isGetter } from '../methods/call-method.ts';
import { METHOD_NAMES, takesArguments } from '../methods/method-names.ts';
import type { Call } from '../syntax/ast.ts';
import { scalar } from './bind-operators.ts';
import type { Binder } from './binder.ts';
import type { BoundExpression } from './bound-query.ts';
import { pathOf, requireOwner } from './resolve-name.ts';
import type { Scope } from './scope.ts';

export function resolveCall(
  binder: Binder,
  call: Call,
  args: readonly BoundExpression[],
  scope: Scope | undefined,
): BoundExpression {
  const { name, span } = call;
  // CURRENT_DATE has no parentheses, so it may as well be the alias of an iterator.
  const alias = args.length === 0 ? scope?.findAlias(name) : undefined;
  if (alias !== undefined) return pathOf(alias, [], span);
  const definition = name === 'EXISTS' ? EXISTS : findFunction(name);
  if (definition !== undefined && !isMethodCall(call, definition, scope)) {
    return bindFunction(binder, definition, args, call);
  }
  requireKnown(binder, call);
  const target = pathOf(requireOwner(binder, name, span, scope), [], span);
  return { kind: 'method', target, name, arguments: args, span };
}

/** A call of a function, with the time of the query where the function takes it. */
/** Takes the place of the time of the query in a call that does not read it. */
const NO_TIME = new Temporal('timestamp', 0);

function bindFunction(
  binder: Binder,
  definition: FunctionDefinition,
  args: readonly BoundExpression[],
  { span }: Pick<Call, 'span'>,
): BoundExpression {
  const { name, minArguments, maxArguments } = definition;
  if (args.length < minArguments || args.length > maxArguments) {
    const reason = `${name} takes ${range(minArguments, maxArguments)}, not ${args.length}`;
    throw functionDomain(binder.locate(span), reason);
  }
  const values = definition.takesCollections ? args : args.map(scalar);
  if (!definition.takesQueryTime) return { kind: 'function', definition, arguments: values, span };
  const literals = values.map((value) => (value.kind === 'literal' ? value.value : undefined));
  const isTimed = definition.readsQueryTime?.(literals) ?? true;
  const time: BoundExpression = isTimed
    ? binder.queryTime(span)
    : { kind: 'literal', value: NO_TIME, span };
  return { kind: 'function', definition, arguments: [time, ...values], span };
}

function range(min: number, max: number): string {
  if (min === max) return printAmount(min, 'argument');
  if (max === Number.POSITIVE_INFINITY) return `at least ${printAmount(min, 'argument')}`;
  return `${min} ${max === min + 1 ? 'or' : 'to'} ${max} arguments`;
}

/** `length()` and `substring(1)` of a row that may be a text; a document has no such methods. */
function isMethodCall(
  { name, arguments: args }: Call,
  { minArguments, maxArguments }: FunctionDefinition,
  scope: Scope | undefined,
): boolean {
  if (!takesArguments(name, args.length)) return false;
  if (args.length < minArguments || args.length > maxArguments) return true;
  const owner = scope?.findOwner(name);
  return owner?.kind === 'found' && !owner.iterator.isDocument;
}

function requireKnown(binder: Binder, { name, nameSpan, arguments: args }: Call): void {
  if (METHOD_NAMES.has(name) || (isGetter(name) && args.length === 0)) return;
  const hint = didYouMean(nearestFunction(name));
  throw nameUnresolved(binder.locate(nameSpan), name, 'there is no such function', hint);
}
