// Continues in the same turn where the input is there already: a promise costs the most
// frequent requests more than several of their parts.

import type { MaybePromise } from '../../grid/index.ts';

/** The next step, in this turn when its input is at hand. */
export function goOn<T, U>(
  input: MaybePromise<T>,
  step: (input: T) => MaybePromise<U>,
): MaybePromise<U> {
  return input instanceof Promise ? input.then(step) : step(input);
}
