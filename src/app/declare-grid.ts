// Creates the regions, indexes and named queries that the config file (or the sample) declares and
// that do not exist. Existing ones stay, even when they differ from the declaration: a start never
// changes data.

import type { Declarations } from '../config/config.ts';
import { type Grid, GridError, type GridErrorCode } from '../grid/index.ts';
import { declarationRefused, type StartError } from './errors.ts';

/** Called with an invalid declaration; throws, or continues with the next. */
export type OnRefused = (error: StartError) => void;

const refuse: OnRefused = (error) => {
  throw error;
};

/** Returns the names of the regions that were created. */
export async function declareGrid(
  grid: Grid,
  { queries, regions }: Pick<Declarations, 'queries' | 'regions'>,
  onRefused: OnRefused = refuse,
): Promise<readonly string[]> {
  const created: string[] = [];
  const create = (declared: Declared): Promise<boolean> => createIfAbsent(declared, onRefused);
  for (const [i, { indexes, ...region }] of regions.entries()) {
    const isNew = await create({
      what: `region ${region.name}`,
      path: `regions[${i}]`,
      exists: 'grid/region-exists',
      create: () => grid.createRegion(region),
    });
    if (isNew) created.push(region.name);
    for (const [j, index] of indexes.entries()) {
      await create({
        what: `index ${index.name} of region ${region.name}`,
        path: `regions[${i}].indexes[${j}]`,
        exists: 'grid/index-exists',
        create: () => grid.createIndex(region.name, index),
      });
    }
  }
  for (const query of queries) {
    await create({
      what: `query ${query.id}`,
      path: `queries.${query.id}`,
      exists: 'grid/query-exists',
      create: () => grid.createQuery(query),
    });
  }
  return created;
}

interface Declared {
  /** For people: `region orders`. */
  readonly what: string;
  /** Its path in the config file. */
  readonly path: string;
  /** The error code if it exists already. */
  readonly exists: GridErrorCode;
  readonly create: () => Promise<unknown>;
}

/** True when it was created, false when it existed or was refused. */
async function createIfAbsent(
  { create, exists, path, what }: Declared,
  onRefused: OnRefused,
): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    if (error.code !== exists) onRefused(declarationRefused(what, path, error));
    return false;
  }
}
