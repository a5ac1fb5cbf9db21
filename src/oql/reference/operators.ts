// Logic, comparison, arithmetic, LIKE and IN. The operands of AND and OR have no order: a failure
// counts only if no other operand decides the result, so the planner may evaluate them in any
// order.

import { toCollection } from '../../value/collections.ts';
import { compareValues, hashKey } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { printText } from '../../value/json-print.ts';
import { computeArithmetic, negateNumber } from '../../value/number.ts';
import {
  isAbsent,
  isNumeric,
  Temporal,
  UNDEFINED,
  type Undefined,
  type Value,
} from '../../value/value.ts';
import type {
  BoundArithmetic,
  BoundComparison,
  BoundExpression,
  BoundIsDefined,
  BoundIsNull,
  BoundLike,
} from '../bind/bound-query.ts';
import {
  divisionByZero,
  functionDomain,
  type Location,
  likePatternTooLong,
  OqlError,
  parameterType,
  typeMismatch,
} from '../errors.ts';
import {
  compileLike,
  isTooLongToSearch,
  type LikeMatcher,
  LONGEST_SEARCHED,
} from '../functions/like.ts';
import { type Evaluate, tryEvaluate } from './environment.ts';

/** null and UNDEFINED are unknown; any other value that is not a boolean is a type mismatch. */
export function toTruth(value: Value, location: Location, hint?: string): boolean | Undefined {
  if (typeof value === 'boolean') return value;
  if (isAbsent(value)) return UNDEFINED;
  throw typeMismatch(location, `A condition must be a boolean, not ${describeValue(value)}`, hint);
}

/** `deciding` is the value that decides the result: false for AND, true for OR. */
export function evaluateJunction(conditions: readonly Evaluate[], deciding: boolean): Evaluate {
  return (environment) => {
    let isUnknown = false;
    let failure: OqlError | undefined;
    for (const condition of conditions) {
      const truth = tryEvaluate(condition, environment);
      if (truth === deciding) return deciding;
      if (truth === UNDEFINED) isUnknown = true;
      else if (truth instanceof OqlError) failure ??= truth;
    }
    if (failure !== undefined) throw failure;
    return isUnknown ? UNDEFINED : !deciding;
  };
}

/** The location of an expression, and how its operands are compiled. */
interface Compilation {
  readonly location: Location;
  readonly compile: (operand: BoundExpression) => Evaluate;
}

export function evaluateComparison(
  comparison: BoundComparison,
  { location, compile }: Compilation,
): Evaluate {
  const { operator } = comparison;
  const left = compile(comparison.left);
  const right = compile(comparison.right);
  return (environment) => {
    const a = left(environment);
    const b = right(environment);
    const outcome = compareValues(operator, a, b);
    if (outcome !== 'mismatch') return outcome;
    const operands = `${describeValue(a)} with ${describeValue(b)}`;
    const { span } = operandToBlame(comparison, a, b);
    const reason = `Cannot compare ${operands} by ${operator}`;
    throw typeMismatch({ ...location, span }, reason, dateHint(a, b));
  };
}

/** If two values have no common order: the operand without any order, or the one that varies. */
function operandToBlame({ left, right }: BoundComparison, a: Value, b: Value): BoundExpression {
  if (hasOrder(a) !== hasOrder(b)) return hasOrder(a) ? right : left;
  // A text that is no date, compared with a date.
  if (dateHint(a, b) !== undefined) return a instanceof Temporal ? right : left;
  return isConstant(right) && !isConstant(left) ? left : right;
}

function isConstant({ kind }: BoundExpression): boolean {
  return kind === 'literal' || kind === 'parameter';
}

function hasOrder(value: Value): boolean {
  return compareValues('<', value, value) !== 'mismatch';
}

export function evaluateArithmetic(
  arithmetic: BoundArithmetic,
  { location, compile }: Compilation,
): Evaluate {
  const { operator } = arithmetic;
  const left = compile(arithmetic.left);
  const right = compile(arithmetic.right);
  return (environment) => {
    const first = left(environment);
    const second = right(environment);
    if (operator === '-' && first instanceof Temporal && second instanceof Temporal) {
      return first.epochMs - second.epochMs;
    }
    if (!isNumeric(first) || !isNumeric(second)) {
      throw wrongOperand(arithmetic, [first, second], location);
    }
    const result = computeArithmetic(operator, first, second);
    if (result === 'division-by-zero') throw divisionByZero(location);
    if (result === 'too-large') throw functionDomain(location, 'The result is too large a number');
    return result;
  };
}

function wrongOperand(
  { operator, left, right }: BoundArithmetic,
  [first, second]: readonly [Value, Value],
  location: Location,
): OqlError {
  const areTexts = typeof first === 'string' && typeof second === 'string';
  const hint = operator === '+' && areTexts ? 'Texts are joined by ||' : dateHint(first, second);
  // If one operand is a date, the other one is wrong.
  const isFromDate = operator === '-' && first instanceof Temporal;
  const isRight = isFromDate || isNumeric(first);
  const wrong = describeValue(isRight ? second : first);
  const reason = isFromDate
    ? `Cannot subtract ${wrong} from a date`
    : `Cannot apply ${operator} to ${wrong}`;
  return typeMismatch({ ...location, span: (isRight ? right : left).span }, reason, hint);
}

/** A hint for a text compared with a date: documents have dates as texts. */
function dateHint(a: Value, b: Value): string | undefined {
  const isMixed =
    (a instanceof Temporal && typeof b === 'string') ||
    (b instanceof Temporal && typeof a === 'string');
  return isMixed ? 'A text is read as a date by ISO 8601, or by TO_DATE(text, format)' : undefined;
}

/** Unary minus of null and UNDEFINED is UNDEFINED, unlike binary operators. */
export function negate(value: Value, location: Location): Value {
  if (isAbsent(value)) return UNDEFINED;
  if (isNumeric(value)) return negateNumber(value);
  throw typeMismatch(location, `Cannot apply - to ${describeValue(value)}`);
}

/** IS NULL and IS DEFINED, and their negations. */
export function meetsTest({ kind, negated }: BoundIsNull | BoundIsDefined, value: Value): boolean {
  return (kind === 'is-null' ? isAbsent(value) : value !== UNDEFINED) !== negated;
}

/** Null stays null, under NOT too; a missing value or one that is no string does not match. */
export function evaluateLike(like: BoundLike, { location: whole, compile }: Compilation): Evaluate {
  const location = { ...whole, span: like.pattern.span };
  const value = compile(like.value);
  const pattern = compile(like.pattern);
  let lastPattern: string | undefined;
  let matches: LikeMatcher = () => false;
  return (environment) => {
    const patternValue = pattern(environment);
    if (isAbsent(patternValue)) {
      throw parameterType(location, `A LIKE pattern cannot be ${describeValue(patternValue)}`);
    }
    const patternText = printText(patternValue);
    // A pattern is constant during a run, so it is compiled once.
    if (patternText !== lastPattern) {
      if (isTooLongToSearch(patternText)) throw likePatternTooLong(location, LONGEST_SEARCHED);
      matches = compileLike(patternText);
      lastPattern = patternText;
    }
    const text = value(environment);
    if (text === null) return null;
    return (typeof text === 'string' && matches(text)) !== like.negated;
  };
}

/** Up to this many elements, comparing each is faster than a set of keys. */
export const SMALL_COLLECTION = 8;

/**
 * True if some element equals the value by `=`, which is exactly when their hash keys are equal
 * (two null and two UNDEFINED included). The keys of a collection are made once.
 */
export function evaluateIn(value: Evaluate, collection: Evaluate, location: Location): Evaluate {
  return (environment) => {
    const searched = value(environment);
    const container = collection(environment);
    if (isAbsent(container)) return UNDEFINED;
    const elements = toCollection(container);
    if (elements === undefined) {
      const kind = describeValue(container);
      throw typeMismatch(location, `The right side of IN must be a collection, not ${kind}`);
    }
    if (elements.length <= SMALL_COLLECTION) {
      return elements.some((element) => compareValues('=', element, searched) === true);
    }
    let keys = environment.keySets.get(elements);
    if (keys === undefined) {
      keys = new Set(elements.map(hashKey));
      environment.keySets.set(elements, keys);
    }
    return keys.has(hashKey(searched));
  };
}
