// Whether an NDJSON answer ends with a line that says it is complete.

import type { IncomingHttpHeaders } from 'node:http';
import { badParameter } from '../errors.ts';
import { NDJSON_TYPE, type RowForm } from '../response/media-types.ts';
import { parseFlag } from './parameters.ts';
import { prefers } from './prefer.ts';
import type { QueryString } from './query-string.ts';

/**
 * `requested`: by `end=true`. `preferred`: by `Prefer: trailer`, which the answer then confirms.
 */
export type LastLine = 'none' | 'requested' | 'preferred';

/** A preference is applied if possible; the parameter is binding. */
export function parseLastLine(
  query: QueryString,
  headers: IncomingHttpHeaders,
  form: RowForm,
): LastLine {
  if (parseFlag(query, 'end')) {
    if (form === 'ndjson') return 'requested';
    const hint = `Only ${NDJSON_TYPE} has one: name it in Accept`;
    throw badParameter('end=true asks for a last line', hint);
  }
  return form === 'ndjson' && prefers(headers, 'trailer') ? 'preferred' : 'none';
}
