// Finds the error of the store within a failure, for the log: the client sees code and file, the
// operator also the message of the operating system.

import { EngineError } from '../../grid/index.ts';

/** Failures of the store itself, not mistakes of one request. */
const STORE_CODES = /^engine\/(?:store-|unreachable$|outcome-unknown$)/;

/** Undefined when the store did not cause it. */
export function findStoreFailure(
  error: unknown,
): { readonly code: string; readonly reason: string } | undefined {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (!(link instanceof EngineError)) continue;
    if (!STORE_CODES.test(link.code)) return undefined;
    const cause = link.cause instanceof Error ? `: ${link.cause.message}` : '';
    return { code: link.code, reason: link.message + cause };
  }
  return undefined;
}
