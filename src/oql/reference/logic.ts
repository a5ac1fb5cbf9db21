// Three-valued logic. The order of operands does not matter: a failure counts only if no other
// operand decides the result, so the planner may evaluate them in any order.

import { describeValue } from '../../value/describe-value.ts';
import { isAbsent, UNDEFINED, type Undefined, type Value } from '../../value/value.ts';
import { type Location, OqlError, typeMismatch } from '../errors.ts';
import { type Environment, type Evaluate, isRowFailure, type Operand } from './environment.ts';

/** null and UNDEFINED are undecided; any other value that is not a boolean is a type mismatch. */
export function toTruth(value: Value, location: Location): boolean | Undefined {
  if (typeof value === 'boolean') return value;
  if (isAbsent(value)) return UNDEFINED;
  throw typeMismatch(location, `A condition must be a boolean, not ${describeValue(value)}`);
}

/** `deciding` is the value that decides the result: false for AND, true for OR. */
export function evaluateJunction(operands: readonly Operand[], deciding: boolean): Evaluate {
  return (environment) => {
    let isUndecided = false;
    let failure: OqlError | undefined;
    for (const operand of operands) {
      const truth = tryOperand(operand, environment);
      if (truth === deciding) return deciding;
      if (truth === UNDEFINED) isUndecided = true;
      else if (truth instanceof OqlError) failure ??= truth;
    }
    if (failure !== undefined) throw failure;
    return isUndecided ? UNDEFINED : !deciding;
  };
}

function tryOperand(
  { evaluate, location }: Operand,
  environment: Environment,
): boolean | Undefined | OqlError {
  try {
    return toTruth(evaluate(environment), location);
  } catch (error) {
    if (isRowFailure(error)) return error;
    throw error;
  }
}

export function evaluateNot({ evaluate, location }: Operand): Evaluate {
  return (environment) => {
    const truth = toTruth(evaluate(environment), location);
    return truth === UNDEFINED ? UNDEFINED : !truth;
  };
}
