// The writer thread's answer to one request.

import type { EngineError } from '../errors.ts';
import { toErrorMessage } from './sqlite-errors.ts';
import type { StoreOutcome, StoreReply } from './store-request.ts';

export function done(
  outcome: StoreOutcome,
  sequence?: number,
): Extract<StoreReply, { kind: 'done' }> {
  return sequence === undefined ? { kind: 'done', outcome } : { kind: 'done', outcome, sequence };
}

export function toFailedReply(error: EngineError): StoreReply {
  return { kind: 'failed', error: toErrorMessage(error) };
}
