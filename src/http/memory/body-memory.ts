// Limits the total memory of request bodies and answers in flight. Limits on each body and on the
// number of requests are not enough: 256 requests of 8 MiB are 2 GiB.
//
// Memory for a body with a declared length is reserved before any of it is read. Otherwise all
// concurrent bodies would be admitted, and most of them aborted halfway.

import type { RequestHead } from '../request/request-head.ts';
import { whenDrained } from '../response/when-drained.ts';

export class BodyMemory {
  readonly #maxBytes: number;
  readonly #held = new Map<RequestHead, { reserved: number; arrived: number }>();
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False: there is no memory for this body now. A single body is always admitted. */
  admit(incoming: RequestHead): boolean {
    return this.#reserve(incoming, Number(incoming.headers['content-length'] ?? 0));
  }

  /** Counts a piece that arrived; false when there is no memory for it. */
  hold(incoming: RequestHead, bytes: number): boolean {
    const held = this.#held.get(incoming);
    const arrived = (held?.arrived ?? 0) + bytes;
    if (!this.#reserve(incoming, arrived)) return false;
    const reservation = this.#held.get(incoming);
    if (reservation !== undefined) reservation.arrived = arrived;
    return true;
  }

  /** Counts a complete answer; false when there is no memory for it. */
  holdAnswer(incoming: RequestHead, bytes: number): boolean {
    return this.#reserve(incoming, (this.#held.get(incoming)?.reserved ?? 0) + bytes);
  }

  /** The same as `release`, for an answer that its client may read slowly. */
  releaseWhenDrained(incoming: RequestHead): void {
    const { socket } = incoming;
    if (socket.destroyed || socket.writableLength === 0) this.release(incoming);
    else whenDrained(socket, () => this.release(incoming));
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
    const addedBytes = bytes - (held?.reserved ?? 0);
    if (addedBytes <= 0) return true;
    const isAlone = this.#heldBytes === (held?.reserved ?? 0);
    if (!isAlone && this.#heldBytes + addedBytes > this.#maxBytes) return false;
    this.#heldBytes += addedBytes;
    if (held === undefined) this.#held.set(incoming, { reserved: bytes, arrived: 0 });
    else held.reserved = bytes;
    return true;
  }
}
