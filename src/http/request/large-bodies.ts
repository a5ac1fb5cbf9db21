// Checks large bodies in slices, one slice per round of the event loop. A body of 8 MB takes a
// tenth of a second or more, so 60 of them at once would block all other requests for seconds. The
// body with the fewest remaining bytes goes first. A waiting body holds only its bytes.

import { JsonCheck, type JsonLimits } from '../../value/json-check.ts';

export interface SliceOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Yields to the event loop. */
  readonly pause: () => Promise<void>;
}

interface Job {
  readonly check: JsonCheck;
  readonly bytes: Uint8Array;
  readonly resolve: (compact: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Smaller bodies are checked in one go, which takes less than a slice. */
export const LARGE_BODY_BYTES: number = 64 * 1024;

const SLICE_MS = 2;
/** How often the clock is read. */
const STEP_BYTES = 8 * 1024;

export class LargeBodies {
  readonly #options: SliceOptions;
  readonly #jobs = new Set<Job>();
  #isRunning = false;

  constructor(options: SliceOptions) {
    this.#options = options;
  }

  /** The same as `checkJson`, without blocking other requests. */
  check(bytes: Uint8Array, limits: JsonLimits): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#jobs.add({ check: new JsonCheck(bytes, limits), bytes, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let job = this.#shortest(); job !== undefined; job = this.#shortest()) {
      this.#runSlice(job);
      await this.#options.pause();
    }
    this.#isRunning = false;
  }

  #shortest(): Job | undefined {
    let shortest: Job | undefined;
    for (const job of this.#jobs) {
      if (shortest === undefined || leftOf(job) < leftOf(shortest)) shortest = job;
    }
    return shortest;
  }

  #runSlice(job: Job): void {
    const { check } = job;
    const end = this.#options.now() + SLICE_MS;
    try {
      while (!check.run(check.offset + STEP_BYTES)) {
        if (this.#options.now() >= end) return;
      }
      job.resolve(check.compact);
    } catch (error) {
      job.reject(error);
    }
    this.#jobs.delete(job);
  }
}

function leftOf({ bytes, check }: Job): number {
  return bytes.length - check.offset;
}
