// JSON of an import as compact text, checked by the same rules as a request's body.

import { checkJson, MAX_JSON_DEPTH } from '../../value/json-check.ts';
import { JsonTextError } from '../../value/json-text.ts';
import { BadEntryError, type InputPosition } from './bad-entry.ts';

/** Throws `BadEntryError` with the reason. */
export function toCompactJson(bytes: Uint8Array, position: InputPosition): string {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return Buffer.from(checkJson(bytes, { maxDepth: MAX_JSON_DEPTH })).toString();
  } catch (error) {
    const reason =
      error instanceof JsonTextError
        ? `${error.message} (at byte ${error.offset + 1})`
        : 'it is not valid UTF-8';
    throw new BadEntryError(reason, { position, cause: error });
  }
}
