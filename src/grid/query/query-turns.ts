// Takes turns among running queries: one slice of one query between two rounds of the event loop.
// If queries paused independently, all of them would continue in the same round, and other requests
// would wait for as many slices as there are queries.

export class QueryTurns {
  readonly #pause: () => Promise<void>;
  readonly #waiting: (() => void)[] = [];
  #isTurning = false;

  /** `pause` gives every other request its turn. */
  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Resolves when other requests and the queries before this one had their turns. */
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
