// A stream of lines that fails midway: its status has gone out, but a line can still say what
// happened, and that the answer is not whole.

import type { ApiResponse } from './api-response.ts';

/** Ends the body with `{"@error":…}` instead of failing; `toResponse` makes an answer of a failure. */
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
