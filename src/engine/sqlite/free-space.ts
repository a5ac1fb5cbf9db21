// Free space on the disk of a directory. Every commit needs it, so the figure is cached briefly.

import { freeBytes } from './free-bytes.ts';

/** A fast disk can write some megabytes at most in this time. */
const LOOK_EVERY_MS = 10;

export class FreeSpace {
  readonly #directory: string;
  #bytes = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(directory: string) {
    this.#directory = directory;
  }

  bytes(): number {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs >= LOOK_EVERY_MS) {
      this.#lookedAtMs = nowMs;
      this.#bytes = freeBytes(this.#directory);
    }
    return this.#bytes;
  }
}
