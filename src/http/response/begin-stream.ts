// The beginning of a streamed body: its first pieces are read before anything is sent, so that an early
// failure gets an error status. A later failure can only cut the connection, or end NDJSON with a
// line.

import type { ApiResponse, BodyPiece } from './api-response.ts';

/** About one batch of a scan: a smaller region is read completely before its status is sent. */
const HELD_BYTES = 128 * 1024;

/** Throws the error of the body, which is then closed. */
export async function beginStream(
  body: AsyncIterable<BodyPiece>,
): Promise<AsyncIterable<BodyPiece>> {
  const pieces = body[Symbol.asyncIterator]();
  const held: BodyPiece[] = [];
  for (let bytes = 0; bytes < HELD_BYTES; ) {
    const next = await pieces.next();
    if (next.done === true) break;
    held.push(next.value);
    bytes += next.value.length;
  }
  return new BegunStream(held, pieces);
}

/** Yields the buffered pieces, then the rest. A generator would cost another promise per piece. */
class BegunStream implements AsyncIterableIterator<BodyPiece> {
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

/** A longer answer is streamed. */
const SHORT_BYTES = 64 * 1024;

/**
 * A short streamed answer as one body, with its length. Throws the error of the body in its first
 * bytes; the body is then closed.
 */
export async function bufferIfShort(
  response: ApiResponse & { readonly body: AsyncGenerator<BodyPiece> },
): Promise<ApiResponse> {
  const { body } = response;
  const held: Buffer[] = [];
  for (let bytes = 0; bytes <= SHORT_BYTES; ) {
    const next = await body.next();
    if (next.done === true) return { ...response, body: Buffer.concat(held) };
    // A copy, because a piece may be a view of a larger buffer.
    const piece = Buffer.from(next.value as string); // either overload takes its kind
    held.push(piece);
    bytes += piece.length;
  }
  return { ...response, body: new BegunStream([Buffer.concat(held)], body) };
}

/**
 * Ends the NDJSON body with `{"@error":…}` instead of failing: the status was sent, but a line can
 * still report the failure. `toResponse` turns the failure into an answer.
 */
export async function* withErrorLine(
  body: AsyncIterable<string | Uint8Array>,
  toResponse: (error: unknown) => ApiResponse,
): AsyncGenerator<string | Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    const answer = toResponse(error);
    yield `{"@error":${typeof answer.body === 'string' ? answer.body : 'null'}}\n`;
  }
}
