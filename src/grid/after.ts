import type { Soon } from '../engine/engine.ts';

/** Goes on at once where nothing has to be waited for. */
export function after<T>(waiting: Soon<void>, goOn: () => Soon<T>): Soon<T> {
  return waiting instanceof Promise ? waiting.then(goOn) : goOn();
}
