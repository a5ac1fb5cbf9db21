// How much memory the bodies of requests in flight hold together. A limit on
// each body and one on the number of requests are not enough where memory is
// short: 256 requests of 8 MiB are 2 GiB.

import { overloaded } from '../errors.ts';
import type { RequestHead } from './request-head.ts';

export class BodyMemory {
  readonly #maxBytes: number;
  readonly #held = new Map<RequestHead, number>();
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Refuses a body before any of it is read. One alone is always let in. */
  admit(incoming: RequestHead): void {
    if (this.#heldBytes === 0) return;
    const announced = Number(incoming.headers['content-length'] ?? 0);
    if (this.#heldBytes + announced > this.#maxBytes) throw overloaded();
  }

  /** Counts a piece that arrived; false when there is no room for it. */
  hold(incoming: RequestHead, bytes: number): boolean {
    const ofThis = this.#held.get(incoming) ?? 0;
    const isAlone = this.#heldBytes === ofThis;
    if (!isAlone && this.#heldBytes + bytes > this.#maxBytes) return false;
    this.#held.set(incoming, ofThis + bytes);
    this.#heldBytes += bytes;
    return true;
  }

  /** To be called when the request is answered: until then its values are under way. */
  release(incoming: RequestHead): void {
    // Most requests have no body at all.
    if (this.#held.size === 0) return;
    this.#heldBytes -= this.#held.get(incoming) ?? 0;
    this.#held.delete(incoming);
  }
}
