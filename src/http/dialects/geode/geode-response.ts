// Answers in Geode's form.

import type { ApiResponse, ResponseBody } from '../../response/api-response.ts';
import { indentJson, indentStream } from './indented-json.ts';
import { GEODE_JSON } from './negotiation.ts';

/** Compact JSON, whole or in pieces, as Geode prints it. */
export function geodeJson(
  compact: Exclude<ResponseBody, undefined>,
  headers: readonly string[],
  status = 200,
): ApiResponse {
  const isWhole = typeof compact === 'string' || compact instanceof Uint8Array;
  const body = isWhole ? indentJson(compact) : indentStream(compact);
  return { status, headers: [...headers, 'Content-Type', GEODE_JSON], body };
}
