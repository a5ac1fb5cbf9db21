// Schedules queries: those that begin and those that continue get one time slice each per round of
// the event loop. If each query had a slice of its own, other requests would wait for as many slices
// as there are queries. If only one continued per round, short queries would wait for as many rounds.

export interface TurnsParts {
  /** Yields to other requests. */
  readonly pause: () => Promise<void>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** In a round, no other query begins or continues after this time. */
const ROUND_MS = 1.25;

export class QueryTurns {
  readonly #parts: TurnsParts;
  readonly #waiting: (() => void)[] = [];
  #isTurning = false;
  /** When the first query of the current round began; undefined without any. */
  #roundMs: number | undefined;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  /** Whether a new query may begin now; if not, it has to take a turn. */
  mayBegin(): boolean {
    const { now, pause } = this.#parts;
    if (this.#roundMs !== undefined) return now() - this.#roundMs < ROUND_MS;
    this.#roundMs = now();
    void pause().then(() => {
      this.#roundMs = undefined;
    });
    return true;
  }

  /** Resolves after other requests and earlier queries have run. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isTurning) void this.#turn();
    });
  }

  async #turn(): Promise<void> {
    const { now, pause } = this.#parts;
    this.#isTurning = true;
    while (this.#waiting.length > 0) {
      await pause();
      const endMs = now() + ROUND_MS;
      do {
        this.#waiting.shift()?.();
        await settled();
      } while (this.#waiting.length > 0 && now() < endMs);
    }
    this.#isTurning = false;
  }
}

/** Resolves when the query that continues has paused, waits for data, or has ended. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
