// How much memory the bodies of requests and answers in flight hold together. A
// limit on each body and one on the number of requests are not enough where
// memory is short: 256 requests of 8 MiB are 2 GiB.
//
// A body that says how long it is has its room set aside before any of it is
// read: otherwise all that came together would be let in, and most of them be
// given up halfway.

import type { RequestHead } from '../request/request-head.ts';

export class BodyMemory {
  readonly #maxBytes: number;
  readonly #held = new Map<RequestHead, { reserved: number; arrived: number }>();
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False: there is no room for this body now. One alone is always let in. */
  admit(incoming: RequestHead): boolean {
    return this.#reserve(incoming, Number(incoming.headers['content-length'] ?? 0));
  }

  /** Counts a piece that arrived; false when there is no room for it. */
  hold(incoming: RequestHead, bytes: number): boolean {
    const held = this.#held.get(incoming);
    const arrived = (held?.arrived ?? 0) + bytes;
    if (!this.#reserve(incoming, arrived)) return false;
    const now = this.#held.get(incoming);
    if (now !== undefined) now.arrived = arrived;
    return true;
  }

  /** Counts an answer that is ready; false when there is no room for it. */
  holdAnswer(incoming: RequestHead, bytes: number): boolean {
    return this.#reserve(incoming, (this.#held.get(incoming)?.reserved ?? 0) + bytes);
  }

  /** The same as `release`, for an answer that its client may take slowly. */
  releaseWhenTaken(incoming: RequestHead): void {
    const { socket } = incoming;
    if (socket.destroyed || socket.writableLength === 0) {
      this.release(incoming);
      return;
    }
    const release = (): void => {
      socket.off('drain', release);
      socket.off('close', release);
      this.release(incoming);
    };
    socket.on('drain', release);
    socket.on('close', release);
  }

  /** Call it when the request is answered: until then its values are held in memory. */
  release(incoming: RequestHead): void {
    // Most requests have no body at all.
    if (this.#held.size === 0) return;
    this.#heldBytes -= this.#held.get(incoming)?.reserved ?? 0;
    this.#held.delete(incoming);
  }

  #reserve(incoming: RequestHead, bytes: number): boolean {
    const held = this.#held.get(incoming);
    const more = bytes - (held?.reserved ?? 0);
    if (more <= 0) return true;
    const isAlone = this.#heldBytes === (held?.reserved ?? 0);
    if (!isAlone && this.#heldBytes + more > this.#maxBytes) return false;
    this.#heldBytes += more;
    if (held === undefined) this.#held.set(incoming, { reserved: bytes, arrived: 0 });
    else held.reserved = bytes;
    return true;
  }
}
