// Rows that were joined in another order than that of FROM, put back into the order in which nested
// loops over FROM find them: by the row of the first iterator, then by that of the second, and so on.

import { CHUNK_ROWS, type SourceTable } from './column-source.ts';
import { Frame, type Locator } from './frame.ts';
import { type Matches, noMatches } from './judge.ts';
import type { Runtime } from './runtime.ts';
import { firstRows } from './scan-frames.ts';

/** Rows handed on at a time. */
const BATCH = 4096;

/** `order` gives the place in FROM of each iterator of the frames. */
export function* restoreOrder(
  runtime: Runtime,
  order: readonly number[],
  found: Iterable<Matches>,
): Generator<Matches> {
  const columns = order.map(() => ({ chunks: new IndexList(), places: new IndexList() }));
  let size = 0;
  for (const { frame, rows } of found) {
    columns.forEach(({ chunks, places }, iterator) => {
      for (const row of rows) {
        chunks.push(frame.chunkAt(iterator, row));
        places.push(frame.placeAt(iterator, row));
      }
    });
    size += rows.length;
    runtime.budget.keep(rows.length, runtime.place);
    // A border at which the driver may pause.
    yield noMatches(frame);
  }
  let sorted: Uint32Array = firstRows(size).slice();
  // Stable, from the last iterator of FROM to the first.
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const iterator = order.indexOf(place);
    const column = columns[iterator];
    if (column === undefined) continue;
    sorted = sortBy(rankRows(runtime, iterator, column, size), sorted);
    yield noMatches(new Frame(0, [], runtime.slots));
  }
  for (let start = 0; start < size; start += BATCH) {
    const picked = sorted.subarray(start, start + BATCH);
    const locators = columns.map(
      ({ chunks, places }): Locator => ({
        kind: 'scattered',
        chunks: chunks.pick(picked),
        places: places.pick(picked),
      }),
    );
    const frame = new Frame(picked.length, locators, runtime.slots);
    yield { frame, count: frame.size, rows: firstRows(frame.size) };
  }
}

interface Located {
  readonly chunks: IndexList;
  readonly places: IndexList;
}

/** Numbers that sort as the rows of a region, or the items of one collection, follow each other. */
function rankRows(
  runtime: Runtime,
  iterator: number,
  { chunks, places }: Located,
  size: number,
): Float64Array {
  const ranks = new Float64Array(size);
  const isRegion = runtime.shape.iterators[iterator]?.kind === 'region';
  const late = isRegion ? lateRanks(runtime.tableOf(iterator)) : undefined;
  for (let at = 0; at < size; at += 1) {
    const row = chunks.at(at) * CHUNK_ROWS + places.at(at);
    ranks[at] = late?.get(row) ?? row;
  }
  return ranks;
}

/** A late row lies between two sorted ones. */
function lateRanks(table: SourceTable): ReadonlyMap<number, number> {
  const { rows, before } = table.lateRows();
  const ranks = new Map<number, number>();
  rows.forEach((row, at) => {
    ranks.set(row, (before[at] ?? 0) - 1 + (at + 1) / (rows.length + 1));
  });
  return ranks;
}

/** A stable sort of the places in `order` by their ranks. */
function sortBy(ranks: Float64Array, order: Uint32Array): Uint32Array {
  return order.sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
}

/** A list of row places that grows. */
class IndexList {
  #values: Uint32Array = new Uint32Array(256);
  #size = 0;

  push(value: number): void {
    if (this.#size === this.#values.length) {
      const grown = new Uint32Array(this.#size * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#size] = value;
    this.#size += 1;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  pick(picked: Uint32Array): Uint32Array {
    return picked.map((index) => this.at(index));
  }
}
