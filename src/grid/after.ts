import type { MaybePromise } from '../engine/engine.ts';

/** Goes on at once where nothing has to be waited for. */
export function after<T>(
  waiting: MaybePromise<void>,
  goOn: () => MaybePromise<T>,
): MaybePromise<T> {
  return waiting instanceof Promise ? waiting.then(goOn) : goOn();
}
