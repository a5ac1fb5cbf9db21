// `?pretty=true`: line breaks and indentation for people.

import type { ApiResponse, BodyPiece } from './api-response.ts';
import { indentJson, indentStream, type JsonLayout } from './indented-json.ts';
import { JSON_TYPE, JSON_UTF8_TYPE, PLAN_TYPE, PROBLEM_TYPE } from './media-types.ts';

const JSON_TYPES: readonly string[] = [JSON_TYPE, JSON_UTF8_TYPE, PLAN_TYPE, PROBLEM_TYPE];

/** As `JSON.stringify` prints it. */
const LAYOUT: JsonLayout = { colon: ': ', elements: 'lines', gap: '' };

/** The same answer, indented, where it is JSON. */
export function prettyResponse(response: ApiResponse): ApiResponse {
  const { body, contentType = '', headers, status } = response;
  if (body === undefined || !JSON_TYPES.includes(contentType)) return response;
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  const pretty = isWhole
    ? Buffer.concat([indentJson(body, LAYOUT), LINE_END])
    : indentStream(withLineEnd(body), LAYOUT);
  return { status, contentType, headers, body: pretty };
}

const LINE_END = Buffer.from('\n');

async function* withLineEnd(pieces: AsyncIterable<BodyPiece>): AsyncGenerator<BodyPiece> {
  yield* pieces;
  yield LINE_END;
}
