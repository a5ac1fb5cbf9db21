// Adds and drops index definitions of a region.

import { findTaken, type IndexDefinition } from '../index-definition.ts';
import type { IndexRequest } from '../region-requests.ts';
import type { StoreOutcome } from './store-request.ts';

export interface ChangedIndexes {
  readonly outcome: StoreOutcome;
  /** Name of the index concerned. */
  readonly name: string;
  /** Undefined when nothing changes. */
  readonly indexes?: readonly IndexDefinition[];
}

/** `indexes` is undefined for a region that does not exist. */
export function changeIndexes(
  indexes: readonly IndexDefinition[] | undefined,
  request: IndexRequest,
): ChangedIndexes {
  const name = request.kind === 'add-index' ? request.index.name : request.index;
  if (indexes === undefined) return { outcome: { kind: 'region-missing' }, name };
  if (request.kind === 'drop-index') {
    const left = indexes.filter((index) => index.name !== name);
    return left.length === indexes.length
      ? { outcome: { kind: 'index-missing' }, name }
      : { outcome: { kind: 'dropped' }, name, indexes: left };
  }
  const by = findTaken(indexes, request.index);
  return by === undefined
    ? { outcome: { kind: 'added' }, name, indexes: [...indexes, request.index] }
    : { outcome: { kind: 'taken', by }, name };
}
