// Turns a committed request into the changes that listeners receive.

import { toCommittedChange } from '../committed-change.ts';
import type { CommittedChange } from '../engine.ts';
import type { StoreRequest } from './store-request.ts';

/** `unchanged` are positions of changes without an effect; listeners do not receive them. */
export function toCommittedChanges(
  request: StoreRequest,
  unchanged: readonly number[] | undefined,
): readonly CommittedChange[] {
  switch (request.kind) {
    case 'write':
      return request.changes
        .filter((_, i) => unchanged?.includes(i) !== true)
        .map((change) => toCommittedChange(request.region, change));
    case 'commit': {
      const all = request.writes.flatMap(({ changes, region }) =>
        changes.map((change) => toCommittedChange(region, change)),
      );
      const without = new Set(unchanged);
      return without.size === 0 ? all : all.filter((_, i) => !without.has(i));
    }
    case 'create-region':
      return [{ kind: 'create-region', region: request.definition.name }];
    case 'clear':
    case 'destroy-region':
    case 'alter-region':
      return [{ kind: request.kind, region: request.region }];
    case 'add-index':
      return [{ kind: 'add-index', region: request.region, index: request.index.name }];
    case 'probe':
      return [];
    case 'drop-index':
      return [{ kind: 'drop-index', region: request.region, index: request.index }];
  }
}
