// Fills regions of the sample grid through the public interface of the grid, in batches.

import type { Grid, GridRegion } from '../grid/index.ts';
import { SAMPLE_DECLARATIONS } from './sample-declarations.ts';
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
 * The regions that an interrupted load left: they have the first batches of their entries, or none,
 * and nothing else. Any other region belongs to the user.
 */
export async function listUnfinished(grid: Grid): Promise<readonly string[]> {
  const unfinished: string[] = [];
  for (const declared of SAMPLE_DECLARATIONS.regions) {
    const region = await grid.region(declared.name);
    const isOurs =
      region.definition.type === declared.type &&
      region.definition.keyConstraint === declared.keyConstraint &&
      region.definition.valueConstraint === declared.valueConstraint;
    if (isOurs && (await isBegun(region, makeEntries(declared.name)))) {
      unfinished.push(declared.name);
    }
  }
  return unfinished;
}

/**
 * Writes the entries of the named regions, which must exist, and returns their number. The caller
 * names only regions that it has just created, or that are unfinished, so that changes of users in
 * other regions stay.
 */
export async function fillSample(
  grid: Grid,
  regions: readonly string[],
  onProgress: (progress: FillProgress) => void,
): Promise<number> {
  const work = regions.map((name) => ({ name, entries: makeEntries(name) }));
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

function makeEntries(region: string): readonly SampleEntry[] {
  return ENTRIES[region]?.() ?? [];
}

async function isBegun(region: GridRegion, entries: readonly SampleEntry[]): Promise<boolean> {
  const count = await region.count();
  if (count >= entries.length || count % BATCH_SIZE !== 0) return false;
  const expected = entries.slice(0, count);
  const found = await region.read(expected.map(({ key }) => key));
  return expected.every(({ value }, i) => found[i]?.value === value);
}
