// Evicts the least recently used parts when all tables together have too many or too large ones.

import { pathKey } from '../value/column-path.ts';
import type { FollowedTable } from './followed-table.ts';
import { type PrepareRequest, requestedCollections } from './prepared-table.ts';
import type { DroppablePart, RegionTable } from './region-table.ts';

export interface PartLimits {
  readonly bytes: number;
  readonly parts: number;
}

/** The query whose parts are never evicted, and the table it reads. */
interface CurrentQuery {
  readonly table: RegionTable;
  readonly request: PrepareRequest;
}

export function evictParts(
  tables: Iterable<FollowedTable>,
  limits: PartLimits,
  current: CurrentQuery,
): void {
  const all = [...tables];
  let excessBytes = all.reduce((sum, state) => sum + state.sizeBytes(), 0) - limits.bytes;
  let excessParts = all.reduce((sum, { table }) => sum + table.partCount(), 0) - limits.parts;
  if (excessBytes <= 0 && excessParts <= 0) return;
  const parts = all.flatMap(({ table }) => evictableParts(table, current));
  const evicted: typeof parts = [];
  for (const each of parts.sort((a, b) => a.part.lastUse - b.part.lastUse)) {
    if (excessBytes <= 0 && excessParts <= 0) break;
    evicted.push(each);
    excessBytes -= each.part.sizeBytes;
    excessParts -= 1;
  }
  for (const [table, some] of Map.groupBy(evicted, ({ table }) => table)) {
    const pathsOf = (kind: DroppablePart['kind']) =>
      some.filter(({ part }) => part.kind === kind).map(({ part }) => part.path);
    table.drop(pathsOf('column'), pathsOf('lists'));
  }
}

function evictableParts(
  table: RegionTable,
  { request, table: read }: CurrentQuery,
): { readonly table: RegionTable; readonly part: DroppablePart }[] {
  const needed = table === read ? [...request.paths, ...requestedCollections(request)] : [];
  const kept = new Set(needed.map(pathKey));
  return table
    .droppable()
    .filter(({ key }) => !kept.has(key))
    .map((part) => ({ table, part }));
}
