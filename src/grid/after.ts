import type { MaybePromise } from '../engine/engine.ts';

/** Continues synchronously if there is nothing to wait for. */
export function after<T>(
  waiting: MaybePromise<void>,
  next: () => MaybePromise<T>,
): MaybePromise<T> {
  return waiting instanceof Promise ? waiting.then(next) : next();
}
