// How a query runs in slices. The stages of a run are generators of rows; between two rows they may
// yield a wait: a pause for other requests, or a promise of data. Only the outermost loop is
// asynchronous, so that all stages are synchronous code.

/** The time slice is over. */
export const PAUSE: unique symbol = Symbol('PAUSE');

/** A reason to wait. A yielded promise never rejects. */
export type Wait = typeof PAUSE | Promise<void>;

/** Work that may wait, and returns a result. */
export type Task<Result> = Generator<Wait, Result, undefined>;

/** Delivers any number of items, with waits in between. */
export type Flow<Item> = Generator<Wait | Item, void, undefined>;

export function isWait(step: unknown): step is Wait {
  return step === PAUSE || step instanceof Promise;
}
