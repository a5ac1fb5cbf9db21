// Decides which conditions cannot fail, from their form and the types in their columns: `o.n > 5`
// fails for a string, so it is safe if no row has one. A safe condition may be skipped or moved.

import { toCollection } from '../../value/collections.ts';
import {
  ABSENT_TAGS,
  FALSE,
  INTEGER,
  NUMBER_TAGS,
  OBJECT,
  OTHER_NUMBER,
  STRING,
  TRUE,
} from '../../value/row-tags.ts';
import { isAbsent, isNumeric } from '../../value/value.ts';
import type { BoundComparison, BoundExpression } from '../bind/bound-query.ts';
import { neverFails } from '../columnar/conjuncts.ts';
import type { QueryFacts } from './plan-data.ts';

const NUMBERS = NUMBER_TAGS | (1 << OTHER_NUMBER);
const STRINGS = 1 << STRING;
const BOOLEANS = (1 << TRUE) | (1 << FALSE);
/** Equal values of these tags are the same value, so that it does not matter which comes first. */
const UNAMBIGUOUS = ABSENT_TAGS | BOOLEANS | STRINGS | (1 << INTEGER);

/** True if no row can make the condition fail. */
export function cannotFail(condition: BoundExpression, data: QueryFacts): boolean {
  switch (condition.kind) {
    case 'comparison':
      if (condition.operator === '=' || condition.operator === '<>') return neverFails(condition);
      return comparesLikeKinds(condition, data);
    case 'like':
      return typeof data.constant(condition.pattern) === 'string' && neverFails(condition.value);
    case 'in': {
      const collection = data.constant(condition.collection);
      if (collection === undefined || !neverFails(condition.value)) return false;
      return isAbsent(collection) || toCollection(collection) !== undefined;
    }
    case 'is-null':
    case 'is-defined':
      return neverFails(condition.operand);
    case 'and':
    case 'or':
      return condition.operands.every((operand) => cannotFail(operand, data));
    case 'not':
      return cannotFail(condition.operand, data);
    case 'path':
    case 'literal':
    case 'parameter':
      return isWithin(tagsOf(condition, data), BOOLEANS | ABSENT_TAGS);
    default:
      return false;
  }
}

/** Either both sides are numbers or both are strings, as far as they have values. */
function comparesLikeKinds({ left, right }: BoundComparison, data: QueryFacts): boolean {
  const tags = tagsOf(left, data) | tagsOf(right, data);
  return isWithin(tags, NUMBERS | ABSENT_TAGS) || isWithin(tags, STRINGS | ABSENT_TAGS);
}

/** The tags of a column without known types. */
export const ANYTHING = -1;

/** The tags an expression may have: those of its column, or of its one value. */
function tagsOf(expression: BoundExpression, data: QueryFacts): number {
  if (expression.kind === 'path') return data.tagsOf(data.columnNumberOf(expression));
  const value = data.constant(expression);
  if (value === undefined) return ANYTHING;
  if (isAbsent(value)) return ABSENT_TAGS;
  if (isNumeric(value)) return NUMBERS;
  if (typeof value === 'boolean') return BOOLEANS;
  return typeof value === 'string' ? STRINGS : ANYTHING;
}

/** Whether all values of an expression have one kind, and so a common order. */
export function hasOneOrder(expression: BoundExpression, data: QueryFacts): boolean {
  if (expression.kind !== 'path') return false;
  const tags = tagsOf(expression, data);
  return [NUMBER_TAGS, STRINGS, BOOLEANS].some((kind) => isWithin(tags, kind | ABSENT_TAGS));
}

export function isUnambiguous(expression: BoundExpression, data: QueryFacts): boolean {
  return expression.kind === 'path' && isWithin(tagsOf(expression, data), UNAMBIGUOUS);
}

/** Whether every value at the path is an object. */
export function isAlwaysMap(expression: BoundExpression, data: QueryFacts): boolean {
  return isWithin(tagsOf(expression, data), (1 << OBJECT) | ABSENT_TAGS);
}

function isWithin(tags: number, allowed: number): boolean {
  return (tags & ~allowed) === 0;
}
