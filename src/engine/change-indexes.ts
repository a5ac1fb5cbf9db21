// Adds and drops index definitions of a region.

import type { AddIndexOutcome, DropIndexOutcome } from './engine.ts';
import { findTaken, type IndexDefinition, toStoredIndex } from './index-definition.ts';
import type { IndexRequest } from './region-requests.ts';

export interface ChangedIndexes {
  readonly outcome: AddIndexOutcome | DropIndexOutcome;
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
  if (request.kind === 'drop-index') {
    const { index: name } = request;
    const left = indexes?.filter((index) => index.name !== name);
    if (left === undefined) return { outcome: 'region-missing', name };
    return left.length === indexes?.length
      ? { outcome: 'index-missing', name }
      : { outcome: 'dropped', name, indexes: left };
  }
  const { name } = request.index;
  if (indexes === undefined) return { outcome: { kind: 'region-missing' }, name };
  const by = findTaken(indexes, request.index);
  return by === undefined
    ? { outcome: { kind: 'added' }, name, indexes: [...indexes, toStoredIndex(request.index)] }
    : { outcome: { kind: 'taken', by }, name };
}
