// Invalidates the entry cache: removes what a request may have changed.

import type { Change } from '../engine.ts';
import { historyRegion } from '../history-records.ts';
import type { EntryCache } from './entry-cache.ts';
import type { RegionRow } from './schema.ts';
import type { StoreRequest } from './store-request.ts';

/** Call this for every answered request, failed ones too: their effects are unknown. */
export function forgetChanges(
  cache: EntryCache,
  request: StoreRequest,
  find: (region: string) => RegionRow | undefined,
): void {
  const forgetRegion = (name: string): void => {
    for (const each of [name, historyRegion(name)]) {
      const id = find(each)?.id;
      if (id !== undefined) cache.forgetRegion(id);
    }
  };
  const forgetKeys = (name: string, changes: readonly Change[]): void => {
    const row = find(name);
    if (row === undefined) return;
    for (const { key } of changes) cache.forget(row.id, key);
    // History records are written into another region.
    if (row.definition.history !== undefined) forgetRegion(name);
  };
  switch (request.kind) {
    case 'probe':
    case 'create-region':
      return;
    case 'write':
      forgetKeys(request.region, request.changes);
      return;
    case 'commit':
      for (const { changes, region } of request.writes) forgetKeys(region, changes);
      return;
    default:
      forgetRegion(request.region);
  }
}
