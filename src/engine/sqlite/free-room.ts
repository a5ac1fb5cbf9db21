// Room left on the disk of a directory. Asked for with every commit, looked up now and then.

import { freeBytes } from './free-bytes.ts';

/** In this time a fast disk takes some megabytes at most. */
const LOOK_EVERY_MS = 10;

export class FreeRoom {
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
