// Limits failed logins to ten a minute per client address and per user. An attempt counts from its
// start and is uncounted when it succeeds, so concurrent attempts cannot exceed the limit.

const WINDOW_MS = 60_000;
const MAX_FAILURES = 10;
/**
 * Beyond this the least recently used are dropped, so that invented names cannot fill the memory.
 */
const MAX_SUBJECTS = 10_000;

export class FailureLimit {
  /** Monotonic milliseconds. */
  readonly #now: () => number;
  /** Times of the last attempts, oldest first, by subject. */
  readonly #attempts = new Map<string, number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until a subject may try again; 0 when it may now. */
  waitMs(subjects: readonly string[]): number {
    const waits = subjects.map((subject) => {
      const recent = this.#recent(subject);
      const first = recent[recent.length - MAX_FAILURES];
      return first === undefined ? 0 : first + WINDOW_MS - this.#now();
    });
    return Math.max(0, ...waits);
  }

  /** Counts an attempt; returns a function that uncounts it, for a login that succeeded. */
  begin(subjects: readonly string[]): () => void {
    const time = this.#now();
    for (const subject of subjects) {
      const recent = this.#recent(subject);
      recent.push(time);
      this.#attempts.delete(subject);
      this.#attempts.set(subject, recent);
    }
    for (const subject of this.#attempts.keys()) {
      if (this.#attempts.size <= MAX_SUBJECTS) break;
      this.#attempts.delete(subject);
    }
    return () => {
      for (const subject of subjects) this.#uncount(subject, time);
    };
  }

  #recent(subject: string): number[] {
    const since = this.#now() - WINDOW_MS;
    return (this.#attempts.get(subject) ?? []).filter((time) => time > since);
  }

  #uncount(subject: string, time: number): void {
    const times = this.#attempts.get(subject) ?? [];
    const index = times.indexOf(time);
    if (index >= 0) times.splice(index, 1);
    if (times.length === 0) this.#attempts.delete(subject);
  }
}
