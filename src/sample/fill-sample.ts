// Fills regions of the sample grid through the grid's own door, in batches.

import type { Grid } from '../grid/index.ts';
import { makeCustomers, makeItems, makeOrders, type SampleEntry } from './sample-entries.ts';

const BATCH_SIZE = 200;

const ENTRIES: Readonly<Record<string, () => readonly SampleEntry[]>> = {
  customers: makeCustomers,
  items: makeItems,
  orders: makeOrders,
};

export interface FillProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Writes the entries of the named regions, which must exist, and gives their
 * number. The caller names only regions it has just created: what a user
 * deleted or changed in an older one stays so.
 */
export async function fillSample(
  grid: Grid,
  regions: readonly string[],
  onProgress: (progress: FillProgress) => void,
): Promise<number> {
  const work = regions.map((name) => ({ name, entries: ENTRIES[name]?.() ?? [] }));
  const total = work.reduce((sum, { entries }) => sum + entries.length, 0);
  let done = 0;
  for (const { entries, name } of work) {
    const region = await grid.region(name);
    for (let start = 0; start < entries.length; start += BATCH_SIZE) {
      const batch = entries.slice(start, start + BATCH_SIZE);
      await region.put(batch, []);
      done += batch.length;
      onProgress({ done, total });
    }
  }
  return total;
}
