// Loads the sample grid on request: creates and fills missing regions, and leaves existing ones
// unchanged. Completes a load that was interrupted.

import { type Grid, GridError } from '../grid/index.ts';
import type { Observe } from '../observe/observation.ts';
import { type FillProgress, fillSample, listUnfinished } from '../sample/fill-sample.ts';
import { SAMPLE_DECLARATIONS } from '../sample/sample-declarations.ts';
import { declareGrid } from './declare-grid.ts';
import { declarationRefused } from './errors.ts';

export async function loadSample(
  grid: Grid,
  observe: Observe,
  onProgress: (progress: FillProgress) => void,
): Promise<void> {
  try {
    await fillIfAbsent(grid, observe, onProgress);
  } catch (error) {
    if (error instanceof GridError) throw declarationRefused('the sample', 'regions', error);
    throw error;
  }
}

async function fillIfAbsent(
  grid: Grid,
  observe: Observe,
  onProgress: (progress: FillProgress) => void,
): Promise<void> {
  const startedMs = performance.now();
  const { queries, regions } = SAMPLE_DECLARATIONS;
  // Queries are created last: without any, the last load was not completed.
  const isFinished = await hasSome(grid, new Set(queries.map(({ id }) => id)));
  const created = await declareGrid(grid, { regions, queries: [] });
  const unfinished = isFinished ? created : await listUnfinished(grid);
  const entries = await fillSample(grid, unfinished, onProgress);
  await declareGrid(grid, { regions: [], queries });
  if (entries > 0) {
    observe({ kind: 'sample-loaded', entries, ms: performance.now() - startedMs });
  }
}

async function hasSome(grid: Grid, ids: ReadonlySet<string>): Promise<boolean> {
  const found = await grid.listQueries((id) => ids.has(id));
  return found.length > 0;
}
