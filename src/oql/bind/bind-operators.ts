// Operators that become calls of functions: `||`, ILIKE, ANY and ALL, lists after IN, intervals,
// and subqueries that stand for one value.

import type { FunctionDefinition } from '../functions/function-definition.ts';
import { requireFunction } from '../functions/function-table.ts';
import {
  COLLECTION_OF,
  CONCATENATION,
  LIST_OF,
  QUANTIFIED,
  SCALAR,
} from '../functions/operator-functions.ts';
import type {
  Arithmetic,
  Comparison,
  Expression,
  IsType,
  Like,
  SetConstruction,
} from '../syntax/ast.ts';
import type { Span } from '../syntax/position.ts';
import { type Bind, negate } from './bind-logic.ts';
import type { BoundArithmetic, BoundExpression } from './bound-query.ts';

/** A call of a function that needs no time of the query; `args` are as many as it takes. */
export function call(
  definition: FunctionDefinition,
  args: readonly BoundExpression[],
  span: Span,
): BoundExpression {
  return { kind: 'function', definition, arguments: args, span };
}

function text(value: string, span: Span): BoundExpression {
  return { kind: 'literal', value, span };
}

/** Operands that can only be collections, so that a subquery beside them is one too. */
const COLLECTIONS: ReadonlySet<BoundExpression['kind']> = new Set([
  'select',
  'set',
  'region',
  'region-view',
]);

/** A subquery where one value is wanted is that of its only row. */
export function scalar(node: BoundExpression): BoundExpression {
  return node.kind === 'select' ? call(SCALAR, [node], node.span) : node;
}

/** Two collections are compared as such, everything else as values. */
export function isCollection(node: BoundExpression): boolean {
  return COLLECTIONS.has(node.kind);
}

export function bindArithmetic(node: Arithmetic, bind: Bind): BoundExpression {
  const { operator, left, right, span } = node;
  if (operator === '+' && isInterval(left) && !isInterval(right)) {
    return moveDate('DATE_ADD', bind(right), left, bind, span);
  }
  return bindOperation(node, bind(left), bind);
}

/** An operation whose left side is bound. `date + INTERVAL '1' MONTH` counts in the calendar. */
export function bindOperation(
  node: Arithmetic,
  left: BoundExpression,
  bind: Bind,
): BoundExpression {
  const { operator, right, span } = node;
  if (operator === '||') return call(CONCATENATION, [scalar(left), scalar(bind(right))], span);
  if (isInterval(right)) {
    if (operator === '+') return moveDate('DATE_ADD', left, right, bind, span);
    if (operator === '-') return moveDate('DATE_SUB', left, right, bind, span);
  }
  return operation(operator, left, bind(right), span);
}

/** Whether it is a number whatever its parts are: intervals are calls. */
export function isPlainOperation(
  node: Arithmetic,
): node is Arithmetic & { readonly operator: BoundArithmetic['operator'] } {
  return node.operator !== '||' && node.left.kind !== 'call' && node.right.kind !== 'call';
}

export function operation(
  operator: BoundArithmetic['operator'],
  left: BoundExpression,
  right: BoundExpression,
  span: Span,
): BoundExpression {
  if (left.kind !== 'select' && right.kind !== 'select') {
    return { kind: 'arithmetic', operator, left, right, span };
  }
  return { kind: 'arithmetic', operator, left: scalar(left), right: scalar(right), span };
}

type Interval = Extract<Expression, { kind: 'call' }>;

export function isInterval(node: Expression): node is Interval {
  return node.kind === 'call' && node.name === 'INTERVAL' && node.arguments.length === 2;
}

/** The amount and the unit of an interval, as DATE_ADD takes them. */
export function intervalParts(interval: Interval, bind: Bind): readonly BoundExpression[] {
  return interval.arguments.map((argument) => {
    const bound = bind(argument);
    const isCount = bound.kind === 'literal' && typeof bound.value === 'string';
    if (!isCount || !/^\s*[+-]?\d{1,15}\s*$/.test(String(bound.value))) return bound;
    return { ...bound, value: Number(bound.value) };
  });
}

function moveDate(
  name: 'DATE_ADD' | 'DATE_SUB',
  date: BoundExpression,
  interval: Interval,
  bind: Bind,
  span: Span,
): BoundExpression {
  return call(requireFunction(name), [date, ...intervalParts(interval, bind)], span);
}

export function bindQuantified(
  node: Comparison,
  quantifier: 'any' | 'all',
  bind: Bind,
): BoundExpression {
  const { operator, span } = node;
  const value = scalar(bind(node.left));
  const words = [text(quantifier.toUpperCase(), span), text(operator, span)];
  return call(QUANTIFIED, [...words, value, bind(node.right)], span);
}

/** LIKE that ignores case; null stays null under NOT too, as with LIKE. */
export function bindIlike(node: Like, bind: Bind): BoundExpression {
  const like = call(requireFunction('ILIKE'), [bind(node.value), bind(node.pattern)], node.span);
  return node.negated ? negate(like, node.span) : like;
}

export function bindIsType(node: IsType, bind: Bind): BoundExpression {
  const { span } = node;
  const test = call(requireFunction('IS_TYPE'), [bind(node.value), text(node.type, span)], span);
  return node.negated ? negate(test, node.span) : test;
}

/**
 * The right side of `IN (a, b)`: a set where all values are known, else the values as they come.
 */
export function bindList({ elements, span }: SetConstruction, bind: Bind): BoundExpression {
  const bound = elements.map((element) => scalar(bind(element)));
  const [only] = bound;
  if (bound.length === 1 && only?.kind === 'parameter') return call(COLLECTION_OF, [only], span);
  const isKnown = bound.every(({ kind }) => kind === 'literal' || kind === 'parameter');
  return isKnown ? { kind: 'set', elements: bound, span } : call(LIST_OF, bound, span);
}
