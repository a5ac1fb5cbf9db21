// Makes what the config file (or the sample) declares: regions, indexes and
// named queries that do not exist. What exists stays as it is, even when it
// differs from the declaration: data is never changed by a start.

import type { Declarations, DeclaredIndex } from '../config/config.ts';
import { type Grid, GridError, type GridErrorCode } from '../grid/index.ts';
import { declarationRefused } from './errors.ts';

/** Gives the names of the regions that were created. */
export async function declareGrid(
  grid: Grid,
  { queries, regions }: Declarations,
): Promise<readonly string[]> {
  const created: string[] = [];
  for (const { indexes, ...region } of regions) {
    const what = `region ${region.name}`;
    if (await createIfAbsent(what, 'grid/region-exists', () => grid.createRegion(region))) {
      created.push(region.name);
    }
    for (const index of indexes) await declareIndex(grid, region.name, index);
  }
  for (const query of queries) {
    await createIfAbsent(`query ${query.id}`, 'grid/query-exists', () => grid.createQuery(query));
  }
  return created;
}

async function declareIndex(grid: Grid, region: string, index: DeclaredIndex): Promise<void> {
  await createIfAbsent(`index ${index.name} of region ${region}`, 'grid/index-exists', () =>
    grid.createIndex(region, index),
  );
}

/** True when it was created, false when it was there. */
async function createIfAbsent(
  what: string,
  exists: GridErrorCode,
  create: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    if (error.code === exists) return false;
    throw declarationRefused(what, error);
  }
}
