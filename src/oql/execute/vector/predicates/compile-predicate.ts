// Compiles bound conditions into predicates over frames. A condition without a vectorised loop is
// UNSURE for every row: the reference evaluator then decides the whole condition for these rows.

import { toCollection } from '../../../../value/collections.ts';
import { type ComparisonOperator, MIRRORED, satisfies } from '../../../../value/compare.ts';
import { plainNumber } from '../../../../value/number.ts';
import { DOUBLE, INTEGER } from '../../../../value/row-tags.ts';
import { compareIdTo } from '../../../../value/utf8-order.ts';
import { Double, Float, isAbsent, type Value } from '../../../../value/value.ts';
import type {
  BoundComparison,
  BoundExpression,
  BoundFunction,
  BoundIn,
  BoundIsDefined,
  BoundIsNull,
  BoundLike,
} from '../../../bind/bound-query.ts';
import { isTooLongToSearch } from '../../../functions/like.ts';
import { meetsTest } from '../../../reference/operators.ts';
import type { Runtime } from '../runtime.ts';
import { compileByteLike } from './byte-like.ts';
import { compareColumns, compareTags } from './compare-columns.ts';
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
  junction,
  negation,
  type Operand,
  type Predicate,
  type ReadVector,
  type StringTest,
  tagTable,
} from './predicate.ts';
import { NO, stateOf, UNKNOWN, UNSURE_STATE, YES } from './states.ts';

const UNSURE_ALWAYS: Predicate = always(UNSURE_STATE);

export function compilePredicate(expression: BoundExpression, runtime: Runtime): Predicate {
  const constant = runtime.constant(expression);
  if (constant !== undefined) return always(stateOf(constant));
  const condition = compileKnown(expression, runtime);
  return condition === UNSURE_ALWAYS ? (filterTexts(expression, runtime) ?? condition) : condition;
}

function compileKnown(expression: BoundExpression, runtime: Runtime): Predicate {
  switch (expression.kind) {
    case 'and':
    case 'or': {
      const operands = expression.operands.map((operand) => compilePredicate(operand, runtime));
      return junction(operands, expression.kind === 'and' ? NO : YES);
    }
    case 'not':
      return negation(compilePredicate(expression.operand, runtime));
    case 'comparison':
      return compileComparison(expression, runtime);
    case 'like':
      return compileLike(expression, runtime);
    case 'in':
      return compileIn(expression, runtime);
    case 'path':
      return byTag(runtime.column(expression).read, TRUTH_OF_TAG);
    case 'is-null':
    case 'is-defined':
      return compileAbsence(expression, runtime);
    default:
      return UNSURE_ALWAYS;
  }
}

const TRUTH_OF_TAG = tagTable(stateOf);

function compileAbsence(test: BoundIsNull | BoundIsDefined, runtime: Runtime): Predicate {
  if (test.operand.kind !== 'path') return UNSURE_ALWAYS;
  const table = tagTable((value) => stateOf(meetsTest(test, value)));
  return byTag(runtime.column(test.operand).read, table);
}

function compileComparison(comparison: BoundComparison, runtime: Runtime): Predicate {
  const { operator, left, right } = comparison;
  const rightValue = runtime.constant(right);
  if (rightValue !== undefined) return compareWithConstant(operator, left, rightValue, runtime);
  const leftValue = runtime.constant(left);
  if (leftValue !== undefined) {
    return compareWithConstant(MIRRORED[operator], right, leftValue, runtime);
  }
  const a = columnOf(left, runtime);
  const b = columnOf(right, runtime);
  return a === undefined || b === undefined ? UNSURE_ALWAYS : compareColumns(operator, a, b);
}

/** A path, or arithmetic over paths and constants (which has no strings). */
function columnOf(expression: BoundExpression, runtime: Runtime): Operand | undefined {
  if (expression.kind === 'path') return runtime.column(expression);
  const read = numericOperand(expression, runtime);
  return read && { read, strings: undefined };
}

/** The numbers of an expression; undefined if it has no loop over vectors. */
export function numericOperand(
  expression: BoundExpression,
  runtime: Runtime,
): ReadVector | undefined {
  const constant = runtime.constant(expression);
  if (constant !== undefined) {
    const value = plainNumber(constant);
    if (value === undefined || constant instanceof Float) return undefined;
    return constantNumber(constant instanceof Double ? DOUBLE : INTEGER, value);
  }
  if (expression.kind === 'path') return runtime.column(expression).read;
  if (expression.kind === 'function') return functionOperand(expression, runtime);
  if (expression.kind !== 'arithmetic') return undefined;
  const left = numericOperand(expression.left, runtime);
  const right = numericOperand(expression.right, runtime);
  return left && right && arithmetic(expression.operator, left, right);
}

/** A function of one number that has a form for vectors. */
function functionOperand(
  { definition, arguments: args }: BoundFunction,
  runtime: Runtime,
): ReadVector | undefined {
  const [argument, second] = args;
  if (definition.vector === undefined || argument === undefined || second !== undefined) {
    return undefined;
  }
  const operand = numericOperand(argument, runtime);
  return operand && applyToNumbers(definition.vector, operand);
}

function compareWithConstant(
  operator: ComparisonOperator,
  operand: BoundExpression,
  constant: Value,
  runtime: Runtime,
): Predicate {
  const column = columnOf(operand, runtime);
  if (column === undefined) return UNSURE_ALWAYS;
  const table = compareTags(operator, constant);
  const number = plainNumber(constant);
  if (number !== undefined) return byNumber(column.read, numberTest(operator, number), table);
  if (typeof constant === 'string') {
    // A lone surrogate has no UTF-8, and would equal the replacement character.
    if (!constant.isWellFormed()) return UNSURE_ALWAYS;
    if (column.strings === undefined) return byTag(column.read, table);
    if (operator === '=' || operator === '<>') return byStringId(column, operator, constant, table);
    const bytes = new TextEncoder().encode(constant);
    const test: StringTest = (dictionary, id) =>
      Number(satisfies(operator, compareIdTo(dictionary, id, bytes)));
    return byString(column, `${operator} ${constant}`, test, table);
  }
  const isOfTags = typeof constant === 'boolean' || isAbsent(constant);
  return isOfTags ? byTag(column.read, table) : UNSURE_ALWAYS;
}

function compileLike(like: BoundLike, runtime: Runtime): Predicate {
  const pattern = runtime.constant(like.pattern);
  if (typeof pattern !== 'string' || like.value.kind !== 'path') return UNSURE_ALWAYS;
  if (isTooLongToSearch(pattern) || !pattern.isWellFormed()) return UNSURE_ALWAYS;
  const column = runtime.column(like.value);
  const matches = compileByteLike(pattern);
  const table = tagTable((value) => (value === null ? UNKNOWN : stateOf(like.negated)));
  const test: StringTest = (dictionary, id) => {
    const isMatch = matches(dictionary.bytes, dictionary.start(id), dictionary.ends[id] ?? 0);
    return isMatch !== like.negated ? YES : NO;
  };
  return byString(column, `${like.negated ? 'NOT LIKE' : 'LIKE'} ${pattern}`, test, table);
}

/** Membership in a collection that is the same for all rows. */
function compileIn(expression: BoundIn, runtime: Runtime): Predicate {
  const collection = runtime.constant(expression.collection);
  if (collection === undefined || expression.value.kind !== 'path') return UNSURE_ALWAYS;
  if (isAbsent(collection)) return always(UNKNOWN);
  const elements = toCollection(collection);
  return elements === undefined
    ? UNSURE_ALWAYS
    : isMember(runtime.column(expression.value), elements);
}
