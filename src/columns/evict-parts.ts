// Evicts the least recently used parts when all tables together have too many or too large ones.

import { pathKey } from '../value/column-path.ts';
import type { FollowedTable } from './followed-table.ts';
import { type PrepareRequest, requestedCollections } from './prepared-table.ts';
import type { DroppablePart, RegionTable } from './region-table.ts';
import type { TableSizes, Totals } from './table-sizes.ts';

/** The query whose parts are never evicted, and the table it reads. */
interface CurrentQuery {
  readonly state: FollowedTable;
  readonly request: PrepareRequest;
}

/** Share of the limits that is freed beyond what is needed, because a search for parts takes long. */
const FREED_SHARE = 1 / 16;

/** Also removes tables that no query uses and that have no parts left. */
export function evictParts(
  tables: Map<string, FollowedTable>,
  sizes: TableSizes,
  limits: Totals,
  current: CurrentQuery,
): void {
  if (!isExceeded(sizes.estimateWith(current.state), limits)) return;
  const { bytes, parts } = sizes.measure();
  if (!isExceeded({ bytes, parts }, limits)) return;
  let excessBytes = bytes - leaveRoom(limits.bytes);
  let excessParts = parts - leaveRoom(limits.parts);
  const evictable = [...tables.values()].flatMap(({ table }) => evictableParts(table, current));
  const evicted: typeof evictable = [];
  for (const each of evictable.sort((a, b) => a.part.lastUse - b.part.lastUse)) {
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
  for (const [region, state] of tables) {
    if (state.table.pins > 0 || state.table.partCount() > 0) continue;
    state.isStale = true;
    tables.delete(region);
  }
  sizes.measure();
}

function isExceeded({ bytes, parts }: Totals, limits: Totals): boolean {
  return bytes > limits.bytes || parts > limits.parts;
}

function leaveRoom(limit: number): number {
  return limit - Math.floor(limit * FREED_SHARE);
}

function evictableParts(
  table: RegionTable,
  { request, state }: CurrentQuery,
): { readonly table: RegionTable; readonly part: DroppablePart }[] {
  const needed = table === state.table ? [...request.paths, ...requestedCollections(request)] : [];
  const neededKeys = new Set(needed.map(pathKey));
  return table
    .droppable()
    .filter(({ key }) => !neededKeys.has(key))
    .map((part) => ({ table, part }));
}
