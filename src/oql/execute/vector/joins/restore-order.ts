// Rows that were joined in another order than that of FROM, put back into the order in which nested
// loops over FROM find them: by the row of the first iterator, then by that of the second, and so on.

import { mergeSort } from '../../../../value/merge-sort.ts';
import { CHUNK_ROWS, type SourceTable } from '../../../columnar/column-source.ts';
import { QUERY_STEPS } from '../../../reference/sort-in-slices.ts';
import { PagedWords } from '../codes/pages.ts';
import { Frame, type Locator } from '../frames/frame.ts';
import { firstRows } from '../frames/scan-frames.ts';
import { type Matches, noMatches } from '../predicates/row-filter.ts';
import type { Runtime } from '../runtime.ts';

/** Rows handed on at a time. */
const BATCH = 1024;
/** Rows whose ranks are found between two of them. */
const RANKED_AT_A_TIME = 4096;

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
    // A yield point.
    yield noMatches(frame);
  }
  let sorted: Uint32Array = new Uint32Array(size);
  for (let row = 0; row < size; row += 1) sorted[row] = row;
  // Stable, from the last iterator of FROM to the first.
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const iterator = order.indexOf(place);
    const column = columns[iterator];
    if (column === undefined) continue;
    const yieldPoint = noMatches(new Frame(0, [], runtime.slots));
    const sorting = sortColumn(runtime, iterator, column, sorted);
    let step = sorting.next();
    for (; step.done !== true; step = sorting.next()) yield yieldPoint;
    sorted = step.value;
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

function* sortColumn(
  runtime: Runtime,
  iterator: number,
  column: Located,
  order: Uint32Array,
): Generator<void, Uint32Array> {
  const ranks = yield* rankRows(runtime, iterator, column, order.length);
  return yield* mergeSort(order, (a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0), QUERY_STEPS);
}

/** Numbers that sort as the rows of a region, or the items of one collection, follow each other. */
function* rankRows(
  runtime: Runtime,
  iterator: number,
  { chunks, places }: Located,
  size: number,
): Generator<void, Float64Array> {
  const ranks = new Float64Array(size);
  const isRegion = runtime.shape.iterators[iterator]?.kind === 'region';
  const delta = isRegion ? yield* deltaRanks(runtime.tableOf(iterator)) : NO_RANKS;
  for (let at = 0; at < size; at += 1) {
    const row = chunks.at(at) * CHUNK_ROWS + places.at(at);
    ranks[at] = delta.get(row) ?? row;
    if (at % RANKED_AT_A_TIME === RANKED_AT_A_TIME - 1) yield;
  }
  return ranks;
}

const NO_RANKS: ReadonlyMap<number, number> = new Map();

/** A delta row lies between two sorted ones. */
function* deltaRanks(table: SourceTable): Generator<void, ReadonlyMap<number, number>> {
  const { rows, before } = table.deltaRows();
  const ranks = new Map<number, number>();
  for (let at = 0; at < rows.length; at += 1) {
    ranks.set(rows[at] ?? 0, (before[at] ?? 0) - 1 + (at + 1) / (rows.length + 1));
    if (at % RANKED_AT_A_TIME === RANKED_AT_A_TIME - 1) yield;
  }
  return ranks;
}

/** A list of row places that grows. */
class IndexList {
  readonly #values = new PagedWords();
  #size = 0;

  push(value: number): void {
    this.#values.set(this.#size, value);
    this.#size += 1;
  }

  at(index: number): number {
    return this.#values.at(index);
  }

  pick(picked: Uint32Array): Uint32Array {
    return picked.map((index) => this.at(index));
  }
}
