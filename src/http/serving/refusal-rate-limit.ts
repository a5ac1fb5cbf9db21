// Limits the rate of refusals for overload. Many clients try again at once, whatever Retry-After
// says: without a limit, refusing them takes all the time of the requests in flight. Each refusal
// beyond the rate is sent later, so that its client waits: a token bucket, with a queue behind it.

/** Tokens of a full bucket: refusals sent without delay after a calm time. */
const MAX_TOKENS = 100;
const TOKENS_PER_MS = 1;
const TICK_MS = 10;
/** Maximum wait in the queue: the rate rises with its length. */
const MAX_WAIT_MS = 1000;

export interface RateLimitClock {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly delay: (ms: number) => Promise<void>;
}

export class RefusalRateLimit {
  readonly #clock: RateLimitClock;
  readonly #waiting: (() => void)[] = [];
  /** Maximum length of the queue since it was last empty. */
  #mostWaiting = 0;
  #tokens = MAX_TOKENS;
  #countedMs: number;

  constructor(clock: RateLimitClock) {
    this.#clock = clock;
    this.#countedMs = clock.now();
  }

  /** Undefined if the refusal may be sent now. */
  take(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#takeToken()) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#mostWaiting = Math.max(this.#mostWaiting, this.#waiting.length);
      if (this.#waiting.length === 1) void this.#releaseAll();
    });
  }

  /** False when none is left. */
  #takeToken(): boolean {
    const now = this.#clock.now();
    this.#tokens = Math.min(MAX_TOKENS, this.#tokens + (now - this.#countedMs) * TOKENS_PER_MS);
    this.#countedMs = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  async #releaseAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#clock.delay(TICK_MS);
      const perMs = Math.max(TOKENS_PER_MS, this.#mostWaiting / MAX_WAIT_MS);
      for (const release of this.#waiting.splice(0, Math.ceil(perMs * TICK_MS))) release();
    }
    this.#mostWaiting = 0;
    this.#tokens = 0;
    this.#countedMs = this.#clock.now();
  }
}
