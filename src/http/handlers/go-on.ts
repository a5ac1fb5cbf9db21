// What is there already is not waited for: that would cost the most frequent
// requests more than several of their parts.

import type { Soon } from '../../grid/index.ts';

/** The next step, in this turn when its input is at hand. */
export function goOn<T, U>(input: Soon<T>, step: (input: T) => Soon<U>): Soon<U> {
  return input instanceof Promise ? input.then(step) : step(input);
}
