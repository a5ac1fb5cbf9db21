// Continues in the same turn when the input is not a promise: for the most frequent requests, a
// promise costs more than several of their steps.

import type { MaybePromise } from '../engine/engine.ts';

/** Runs the next step, in this turn when its input is not a promise. */
export function andThen<T, U>(
  input: MaybePromise<T>,
  step: (input: T) => MaybePromise<U>,
): MaybePromise<U> {
  return input instanceof Promise ? input.then(step) : step(input);
}
