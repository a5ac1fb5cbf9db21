// Sends a short streamed answer as one body, with its length.

import type { ApiResponse, BodyPiece } from './api-response.ts';
import { BegunStream } from './begin-stream.ts';

const HELD_BYTES = 64 * 1024;

/** Throws the error of the body in its first bytes; the body is then closed. */
export async function bufferIfShort(
  response: ApiResponse & { readonly body: AsyncGenerator<BodyPiece> },
): Promise<ApiResponse> {
  const { body } = response;
  const held: Buffer[] = [];
  for (let bytes = 0; bytes <= HELD_BYTES; ) {
    const next = await body.next();
    if (next.done === true) return { ...response, body: Buffer.concat(held) };
    // A copy, because a piece may be a view of a larger buffer.
    const piece = Buffer.from(next.value as string); // either overload takes its kind
    held.push(piece);
    bytes += piece.length;
  }
  return { ...response, body: new BegunStream([Buffer.concat(held)], body) };
}
