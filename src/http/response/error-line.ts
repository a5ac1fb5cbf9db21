// Ends an NDJSON stream that fails midway with an error line: the status was sent, but a line can
// still report the failure.

import type { ApiResponse } from './api-response.ts';

/**
 * Ends the body with `{"@error":…}` instead of failing; `toResponse` turns the failure into an
 * answer.
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
