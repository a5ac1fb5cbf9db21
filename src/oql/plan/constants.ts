// The values of constants in conditions, as far as text and parameters give them without a run.

import type { Value } from '../../value/value.ts';
import type { BoundExpression } from '../bind/bound-query.ts';

/** Undefined for an expression that has to be computed. */
export function constantOf(
  expression: BoundExpression,
  parameters: readonly Value[],
): Value | undefined {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'parameter':
      return parameters[expression.slot];
    case 'set': {
      const values = expression.elements.map((element) => constantOf(element, parameters));
      return values.every((value) => value !== undefined) ? values : undefined;
    }
    default:
      return undefined;
  }
}

/** The literal or parameter that something has to equal; undefined for any other condition. */
export function constantSide(condition: BoundExpression): BoundExpression | undefined {
  if (condition.kind !== 'comparison' || condition.operator !== '=') return undefined;
  const { left, right } = condition;
  return [right, left].find(({ kind }) => kind === 'literal' || kind === 'parameter');
}
