// Prints a query plan, estimated or measured: as JSON, or as text for people.

import { type Explanation, printExplanation } from '../../grid/index.ts';
import type { PlanType } from '../intent/intent.ts';
import { type ApiResponse, textResponse } from './api-response.ts';
import { TEXT_TYPE } from './media-types.ts';

export function explanationResponse(explanation: Explanation, type: PlanType): ApiResponse {
  return type === TEXT_TYPE
    ? textResponse(`${TEXT_TYPE}; charset=utf-8`, printExplanation(explanation))
    : textResponse(type, JSON.stringify(explanation, hyphenate));
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
