// Finds the store's error within a failure, for the log: the client gets the code and the file, the
// operator also the system's message.

import { EngineError } from '../../grid/index.ts';

export interface StoreTrouble {
  readonly code: string;
  readonly reason: string;
}

/** Failures of the store itself; what one request asked wrongly is none. */
const STORE_CODES = /^engine\/(?:store-|unreachable$|outcome-unknown$)/;

/** Undefined when the store has no part in it. */
export function findStoreTrouble(error: unknown): StoreTrouble | undefined {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (!(link instanceof EngineError)) continue;
    if (!STORE_CODES.test(link.code)) return undefined;
    const cause = link.cause instanceof Error ? `: ${link.cause.message}` : '';
    return { code: link.code, reason: link.message + cause };
  }
  return undefined;
}
