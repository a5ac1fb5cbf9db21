// Answers in Geode's form.

import type { ApiResponse, ResponseBody } from '../../response/api-response.ts';
import { indentJson, indentStream, type JsonLayout } from '../../response/indented-json.ts';
import { GEODE_JSON } from './negotiation.ts';

const GEODE_LAYOUT: JsonLayout = { colon: ' : ', elements: 'one-line', gap: ' ' };

/** Compact JSON, whole or in pieces, as Geode prints it. */
export function geodeJson(
  compact: Exclude<ResponseBody, undefined>,
  headers: readonly string[],
  status = 200,
): ApiResponse {
  return { status, contentType: GEODE_JSON, headers, body: indent(compact) };
}

/** Longer answers are indented piece by piece while they are sent, to yield to other requests. */
const PIECE_BYTES = 64 * 1024;

function indent(
  compact: Exclude<ResponseBody, undefined>,
): Uint8Array | AsyncGenerator<Uint8Array> {
  if (typeof compact !== 'string' && !(compact instanceof Uint8Array))
    return indentStream(compact, GEODE_LAYOUT);
  const bytes = Buffer.from(compact);
  return bytes.length <= PIECE_BYTES
    ? indentJson(bytes, GEODE_LAYOUT)
    : indentStream(piecesOf(bytes), GEODE_LAYOUT);
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}
