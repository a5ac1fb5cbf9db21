// The error of a request that was stopped before it was complete.

/** Thrown when a request is stopped with part of its work done; `progress` says how much. */
export class StoppedError extends Error {
  readonly progress: object;

  constructor(cause: unknown, progress: object) {
    super('The request was stopped', { cause });
    this.progress = progress;
  }
}
