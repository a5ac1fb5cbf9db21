// Reads the first pieces of a streamed body before anything is sent, so that an early failure gets
// an error status. A later failure can only cut the connection.

import type { BodyPiece } from './api-response.ts';

/** About one batch of a scan: a smaller region is read completely before its status is sent. */
const HELD_BYTES = 128 * 1024;

/** Throws the error of the body, which is then closed. */
export async function beginStream(
  body: AsyncIterable<BodyPiece>,
): Promise<AsyncIterable<BodyPiece>> {
  const rest = body[Symbol.asyncIterator]();
  const held: BodyPiece[] = [];
  for (let bytes = 0; bytes < HELD_BYTES; ) {
    const next = await rest.next();
    if (next.done === true) break;
    held.push(next.value);
    bytes += next.value.length;
  }
  return new BegunStream(held, rest);
}

/** Yields the buffered pieces, then the rest. A generator would cost another promise per piece. */
export class BegunStream implements AsyncIterableIterator<BodyPiece> {
  readonly #held: BodyPiece[];
  readonly #rest: AsyncIterator<BodyPiece>;

  constructor(held: BodyPiece[], rest: AsyncIterator<BodyPiece>) {
    this.#held = held;
    this.#rest = rest;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<BodyPiece>> {
    const value = this.#held.shift();
    return value === undefined ? this.#rest.next() : Promise.resolve({ done: false, value });
  }

  async return(): Promise<IteratorResult<BodyPiece>> {
    this.#held.length = 0;
    await this.#rest.return?.();
    return { done: true, value: undefined };
  }
}
