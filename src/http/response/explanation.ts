// How a query would run, or did run: as JSON, or as a picture for people.

import { type Explanation, printExplanation } from '../../grid/index.ts';
import { accepts } from '../request/accept.ts';
import { type ApiResponse, JSON_TYPE, jsonResponse, textResponse } from './api-response.ts';

const TEXT_TYPE = 'text/plain';

/** The picture goes to a client that takes plain text and no JSON, or names plain text. */
export function explanationResponse(
  explanation: Explanation,
  accept: string | undefined,
): ApiResponse {
  const wantsText =
    accept !== undefined &&
    accepts(accept, TEXT_TYPE) &&
    (accept.includes(TEXT_TYPE) || !accepts(accept, JSON_TYPE));
  return wantsText
    ? textResponse(`${TEXT_TYPE}; charset=utf-8`, printExplanation(explanation))
    : jsonResponse(JSON.stringify(explanation, hyphenate));
}

/** Member names are spelled as everywhere in the API: words joined by hyphens. */
function hyphenate(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      member,
    ]),
  );
}
