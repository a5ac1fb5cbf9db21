// A query result as a JSON array. Nothing is sent before the first pieces exist, so that a query
// that fails early gets its error status.

import { type ApiResponse, jsonResponse } from './api-response.ts';

/** A result up to this length is sent as one body; a longer one is streamed. */
const HELD_CHARACTERS = 64 * 1024;

/** Takes JSON elements joined by commas: all of them, or in pieces. */
export function queryResponse(
  answer: string | AsyncGenerator<string>,
  headers: readonly string[],
): ApiResponse | Promise<ApiResponse> {
  return typeof answer === 'string'
    ? jsonResponse(`[${answer}]`, headers)
    : collectPieces(answer, headers);
}

async function collectPieces(
  pieces: AsyncGenerator<string>,
  headers: readonly string[],
): Promise<ApiResponse> {
  let held = '';
  for (;;) {
    const next = await pieces.next();
    if (next.done === true) return jsonResponse(`[${held}]`, headers);
    held += held === '' ? next.value : `,${next.value}`;
    if (held.length > HELD_CHARACTERS) return jsonResponse(streamRest(held, pieces), headers);
  }
}

async function* streamRest(held: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield `[${held}`;
    for await (const piece of pieces) yield `,${piece}`;
    yield ']';
  } finally {
    // Also when the client disconnected before the loop began.
    await pieces.return(undefined);
  }
}
