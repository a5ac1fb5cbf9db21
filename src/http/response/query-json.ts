// A query result as a JSON array. Nothing is sent before the first pieces exist, so that a query
// that fails early gets its error status.

import { type ApiResponse, type BodyPiece, jsonResponse } from './api-response.ts';

/** A result up to this length is sent as one body; a longer one is streamed. */
const HELD_BYTES = 64 * 1024;

const decoder = new TextDecoder();

/** Takes JSON elements joined by commas: all of them as a text, or in pieces. */
export function queryResponse(
  answer: string | AsyncGenerator<Uint8Array>,
  headers: readonly string[],
): ApiResponse | Promise<ApiResponse> {
  return typeof answer === 'string'
    ? jsonResponse(`[${answer}]`, headers)
    : collectPieces(answer, headers);
}

async function collectPieces(
  pieces: AsyncGenerator<Uint8Array>,
  headers: readonly string[],
): Promise<ApiResponse> {
  const held: Uint8Array[] = [];
  for (let bytes = 0; bytes <= HELD_BYTES; ) {
    const next = await pieces.next();
    if (next.done === true) {
      const texts = held.map((piece) => decoder.decode(piece));
      return jsonResponse(`[${texts.join(',')}]`, headers);
    }
    held.push(next.value);
    bytes += next.value.length;
  }
  return jsonResponse(streamAll(held, pieces), headers);
}

/** Pieces are sent as they are, because copying them would take longer than sending a comma. */
async function* streamAll(
  held: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<BodyPiece> {
  try {
    let before = '[';
    for (const piece of held) {
      yield before;
      yield piece;
      before = ',';
    }
    for await (const piece of rest) {
      yield before;
      yield piece;
    }
    yield ']';
  } finally {
    // Also when the client disconnected before the loop began.
    await rest.return(undefined);
  }
}
