// Schedules running queries: one slice of one query per round of the event loop. If queries paused
// independently, all of them would continue in the same round, and other requests would wait for as
// many slices as there are queries.

export class QueryTurns {
  readonly #pause: () => Promise<void>;
  readonly #waiting: (() => void)[] = [];
  #isTurning = false;

  /** `pause` yields to other requests. */
  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Resolves after other requests and earlier queries have run. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isTurning) void this.#turn();
    });
  }

  async #turn(): Promise<void> {
    this.#isTurning = true;
    while (this.#waiting.length > 0) {
      await this.#pause();
      this.#waiting.shift()?.();
    }
    this.#isTurning = false;
  }
}
