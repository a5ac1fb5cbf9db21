// Compiles bound conditions into predicates over frames. A condition without a vectorised loop is
// UNSURE for every row: the reference evaluator then decides the whole condition for these rows.

import { toCollection } from '../../../../value/collections.ts';
import type { Dictionary } from '../../../../value/column-data.ts';
import { type ComparisonOperator, MIRRORED, satisfies } from '../../../../value/compare.ts';
import { plainNumber } from '../../../../value/number.ts';
import { DOUBLE, INTEGER } from '../../../../value/row-tags.ts';
import { compareIdTo } from '../../../../value/utf8-order.ts';
import { Double, Float, isAbsent, UNDEFINED, type Value } from '../../../../value/value.ts';
import type {
  BoundComparison,
  BoundExpression,
  BoundFunction,
  BoundIn,
  BoundLike,
} from '../../../bind/bound-query.ts';
import { isTooLongToSeek } from '../../../functions/like.ts';
import { compileByteLike } from './byte-like.ts';
import { compareColumns, compareTags, type Side } from './compare-columns.ts';
import { filterTexts } from './filter-texts.ts';
import { numberTest } from './loops.ts';
import { isMember } from './membership.ts';
import { applyToNumbers, arithmetic, constantNumber } from './numeric.ts';
import {
  always,
  byNumber,
  byString,
  byStringId,
  byTag,
  conjunction,
  disjunction,
  negation,
  type Predicate,
  type PredicateContext,
  type ReadVector,
  type StringColumn,
  tagTable,
} from './predicate.ts';
import { NO, stateOf, UNKNOWN, UNSURE_STATE, YES } from './states.ts';

const UNSURE_ALWAYS: Predicate = always(UNSURE_STATE);

export function compilePredicate(
  expression: BoundExpression,
  context: PredicateContext,
): Predicate {
  const constant = context.constant(expression);
  if (constant !== undefined) return always(stateOf(constant));
  const condition = compileKnown(expression, context);
  return condition === UNSURE_ALWAYS ? (filterTexts(expression, context) ?? condition) : condition;
}

function compileKnown(expression: BoundExpression, context: PredicateContext): Predicate {
  switch (expression.kind) {
    case 'and':
      return conjunction(expression.operands.map((operand) => compilePredicate(operand, context)));
    case 'or':
      return disjunction(expression.operands.map((operand) => compilePredicate(operand, context)));
    case 'not':
      return negation(compilePredicate(expression.operand, context));
    case 'comparison':
      return compileComparison(expression, context);
    case 'like':
      return compileLike(expression, context);
    case 'in':
      return compileIn(expression, context);
    case 'path':
      return byTag(context.column(expression).read, TRUTH_OF_TAG);
    case 'is-null':
    case 'is-defined':
      return compileAbsence(expression, context);
    default:
      return UNSURE_ALWAYS;
  }
}

const TRUTH_OF_TAG = tagTable(stateOf);

function compileAbsence(
  expression: Extract<BoundExpression, { kind: 'is-null' | 'is-defined' }>,
  context: PredicateContext,
): Predicate {
  const { kind, operand, negated } = expression;
  if (operand.kind !== 'path') return UNSURE_ALWAYS;
  const holds = (value: Value): boolean =>
    kind === 'is-null' ? isAbsent(value) : value !== UNDEFINED;
  const table = tagTable((value) => stateOf(holds(value) !== negated));
  return byTag(context.column(operand).read, table);
}

function compileComparison(comparison: BoundComparison, context: PredicateContext): Predicate {
  const { operator, left, right } = comparison;
  const rightValue = context.constant(right);
  if (rightValue !== undefined) return compareWithConstant(operator, left, rightValue, context);
  const leftValue = context.constant(left);
  if (leftValue !== undefined) {
    return compareWithConstant(MIRRORED[operator], right, leftValue, context);
  }
  const a = columnOf(left, context);
  const b = columnOf(right, context);
  return a === undefined || b === undefined ? UNSURE_ALWAYS : compareColumns(operator, a, b);
}

/** A path, or arithmetic over paths and constants (which has no strings). */
function columnOf(
  expression: BoundExpression,
  context: PredicateContext,
): StringColumn | (Side & { readonly strings: undefined }) | undefined {
  if (expression.kind === 'path') return context.column(expression);
  const read = numericOperand(expression, context);
  return read && { read, strings: undefined };
}

/** The numbers of an expression; undefined if it has no loop over vectors. */
export function numericOperand(
  expression: BoundExpression,
  context: PredicateContext,
): ReadVector | undefined {
  const constant = context.constant(expression);
  if (constant !== undefined) {
    const value = plainNumber(constant);
    if (value === undefined || constant instanceof Float) return undefined;
    return constantNumber(constant instanceof Double ? DOUBLE : INTEGER, value);
  }
  if (expression.kind === 'path') return context.column(expression).read;
  if (expression.kind === 'function') return functionOperand(expression, context);
  if (expression.kind !== 'arithmetic') return undefined;
  const left = numericOperand(expression.left, context);
  const right = numericOperand(expression.right, context);
  return left && right && arithmetic(expression.operator, left, right);
}

/** A function of one number that has a form for vectors. */
function functionOperand(
  { definition, arguments: args }: BoundFunction,
  context: PredicateContext,
): ReadVector | undefined {
  const [argument, second] = args;
  if (definition.vector === undefined || argument === undefined || second !== undefined) {
    return undefined;
  }
  const operand = numericOperand(argument, context);
  return operand && applyToNumbers(definition.vector, operand);
}

function compareWithConstant(
  operator: ComparisonOperator,
  operand: BoundExpression,
  constant: Value,
  context: PredicateContext,
): Predicate {
  const column = columnOf(operand, context);
  if (column === undefined) return UNSURE_ALWAYS;
  const table = compareTags(operator, constant);
  const number = plainNumber(constant);
  if (number !== undefined) return byNumber(column.read, numberTest(operator, number), table);
  if (typeof constant === 'string') {
    // A lone surrogate has no UTF-8, and would equal the replacement character.
    if (!constant.isWellFormed()) return UNSURE_ALWAYS;
    if (column.strings === undefined) return byTag(column.read, table);
    if (operator === '=' || operator === '<>') return byStringId(column, operator, constant, table);
    return byString(column, `${operator} ${constant}`, stringTest(operator, constant), table);
  }
  const isOfTags = typeof constant === 'boolean' || isAbsent(constant);
  return isOfTags ? byTag(column.read, table) : UNSURE_ALWAYS;
}

function stringTest(
  operator: ComparisonOperator,
  constant: string,
): (dictionary: Dictionary, id: number) => number {
  const bytes = new TextEncoder().encode(constant);
  return (dictionary, id) => {
    const order = compareIdTo(dictionary, id, bytes);
    return satisfies(operator, order) ? YES : NO;
  };
}

function compileLike(like: BoundLike, context: PredicateContext): Predicate {
  const pattern = context.constant(like.pattern);
  if (typeof pattern !== 'string' || like.value.kind !== 'path') return UNSURE_ALWAYS;
  if (isTooLongToSeek(pattern) || !pattern.isWellFormed()) return UNSURE_ALWAYS;
  const column = context.column(like.value);
  const matches = compileByteLike(pattern);
  const table = tagTable((value) => (value === null ? UNKNOWN : stateOf(like.negated)));
  const test = (dictionary: Dictionary, id: number): number => {
    const isMatch = matches(dictionary.bytes, dictionary.start(id), dictionary.ends[id] ?? 0);
    return isMatch !== like.negated ? YES : NO;
  };
  return byString(column, `${like.negated ? 'NOT LIKE' : 'LIKE'} ${pattern}`, test, table);
}

/** Membership in a collection that is the same for all rows. */
function compileIn(expression: BoundIn, context: PredicateContext): Predicate {
  const collection = context.constant(expression.collection);
  if (collection === undefined || expression.value.kind !== 'path') return UNSURE_ALWAYS;
  if (isAbsent(collection)) return always(UNKNOWN);
  const elements = toCollection(collection);
  return elements === undefined
    ? UNSURE_ALWAYS
    : isMember(context.column(expression.value), elements);
}
