// Finds writes that do not maintain the unique indexes of their regions. They are checked against
// this server's state: the store itself refuses a server that has not received every alteration.

import { EngineError } from '../errors.ts';
import { checkUnique } from '../unique-indexes.ts';
import type { StoreState } from './store-state.ts';
import type { StoreRequest } from './write-batch.ts';
import { partsOf } from './write-batch.ts';

/** Why a request is refused; undefined when it is not. */
export function findStaleWrite(request: StoreRequest, state: StoreState): EngineError | undefined {
  if (request.kind !== 'write' && request.kind !== 'commit') return undefined;
  try {
    for (const part of partsOf(request)) checkUnique(part, state.find(part.region)?.indexes);
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

/** Rejects the requests that are refused; returns the others. */
export function refuseStaleWrites<
  Pending extends { readonly request: StoreRequest; readonly reject: (error: EngineError) => void },
>(batch: readonly Pending[], state: StoreState): readonly Pending[] {
  return batch.filter(({ reject, request }) => {
    const refusal = findStaleWrite(request, state);
    if (refusal !== undefined) reject(refusal);
    return refusal === undefined;
  });
}
