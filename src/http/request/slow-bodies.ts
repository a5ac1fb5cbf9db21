// Aborts bodies that arrive too slowly. A body that trickles in would occupy a slot of requests in
// flight for the whole time limit. One periodic sweep checks all, so that a body that arrives at
// once costs next to nothing.

export interface SlowBodyRules {
  /** 0: no minimum. */
  readonly minBytesPerSecond: number;
  /** No body counts as slow before this time. */
  readonly graceMs: number;
  readonly sweepMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** A body being received; its reader counts up `bytes`. */
export interface BodyReading {
  bytes: number;
}

export class SlowBodies {
  readonly #rules: SlowBodyRules;
  readonly #readings = new Map<
    BodyReading,
    { readonly startedMs: number; readonly onSlow: () => void }
  >();
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: SlowBodyRules) {
    this.#rules = rules;
  }

  /** Calls back once if the body is slow; `end` must follow in any case. */
  begin(onSlow: () => void): BodyReading {
    const reading: BodyReading = { bytes: 0 };
    if (this.#rules.minBytesPerSecond === 0) return reading;
    this.#readings.set(reading, { startedMs: this.#rules.now(), onSlow });
    this.#timer ??= setInterval(() => this.#sweep(), this.#rules.sweepMs).unref();
    return reading;
  }

  /** Whether so many bytes are too few for that waiting time. */
  isSlow(bytes: number, ms: number): boolean {
    const { graceMs, minBytesPerSecond } = this.#rules;
    return ms >= graceMs && (bytes / ms) * 1000 < minBytesPerSecond;
  }

  end(reading: BodyReading): void {
    this.#readings.delete(reading);
  }

  #sweep(): void {
    const { now } = this.#rules;
    for (const [reading, { onSlow, startedMs }] of this.#readings) {
      const ms = now() - startedMs;
      if (!this.isSlow(reading.bytes, ms)) continue;
      this.#readings.delete(reading);
      onSlow();
    }
    if (this.#readings.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
