// A request that was stopped before it was done.

/** Thrown when a request ends before its end, with part of it done: `progress` says how much. */
export class StoppedError extends Error {
  readonly progress: object;

  constructor(cause: unknown, progress: object) {
    super('The request was stopped', { cause });
    this.progress = progress;
  }
}
