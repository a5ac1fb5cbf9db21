// Estimates the rows of a step from the data: sizes of regions are exact; conditions and keys are
// evaluated on a sample of a few hundred rows, spread over the region.

import { CHUNK_ROWS } from '../../value/column-data.ts';
import type { BoundExpression } from '../bind/bound-query.ts';
import { iteratorsOf, joinConditions } from '../columnar/conjuncts.ts';
import type { PlanData, RowSample } from './plan-data.ts';

const SAMPLE_ROWS = 200;
/** More conditions are not evaluated on the sample: they hardly keep a row, and take long. */
const MAX_SAMPLED_CONDITIONS = 32;

export class Estimator {
  readonly #data: PlanData;
  readonly #samples = new Map<number, RowSample>();
  /** By number of a column, whatever the order of the iterators is. */
  readonly #distinct: Map<number, number>;

  constructor(data: PlanData, distinct: Map<number, number> = new Map()) {
    this.#data = data;
    this.#distinct = distinct;
  }

  withData(data: PlanData): Estimator {
    return new Estimator(data, this.#distinct);
  }

  /** The share of the rows of a region that meet all conditions; never 0. */
  selectivity(iterator: number, conditions: readonly BoundExpression[]): number {
    const all = joinConditions(conditions);
    if (all === undefined) return 1;
    const isLocal = [...iteratorsOf(all)].every((each) => each === iterator);
    const isOfRegion = isLocal && this.#data.shape.iterators[iterator]?.kind === 'region';
    if (!isOfRegion || conditions.length > MAX_SAMPLED_CONDITIONS)
      return defaultSelectivity(conditions);
    const sample = this.#sample(iterator);
    if (sample.size === 0) return 1;
    const rowsKept = sample.countKept(all);
    // The conditions take too long to evaluate.
    if (rowsKept === undefined) return defaultSelectivity(conditions);
    // No row of the sample counts as half a row, so that the share is never 0.
    return Math.max(rowsKept, 0.5) / sample.size;
  }

  /** Distinct values at a path, estimated from how often values of the sample repeat. */
  distinct(columnNumber: number): number {
    const known = this.#distinct.get(columnNumber);
    if (known !== undefined) return known;
    const count = this.#countDistinct(columnNumber);
    this.#distinct.set(columnNumber, count);
    return count;
  }

  #countDistinct(columnNumber: number): number {
    const { iterators, columns } = this.#data.shape;
    const iterator = columns[columnNumber]?.iterator ?? 0;
    const rows = this.rows(iterator);
    // There is no sample of computed terms.
    if (columnNumber < 0) return Math.max(1, Math.sqrt(rows));
    // Every key occurs once.
    if (columns[columnNumber]?.path.length === 0) return Math.max(1, rows);
    if (iterators[iterator]?.kind !== 'region') return Math.sqrt(rows);
    const sample = this.#sample(iterator);
    if (sample.size === 0) return 1;
    const frequencies = sample.countValues(columnNumber);
    let singletons = 0;
    for (const count of frequencies.values()) if (count === 1) singletons += 1;
    // Haas and Stokes: the values seen once show how many were not seen at all.
    const { size } = sample;
    const unseen = size - singletons + (singletons * size) / Math.max(rows, size);
    return Math.max(1, Math.min(rows, (size * frequencies.size) / unseen));
  }

  /** Rows of a region, or items of a collection. */
  rows(iterator: number): number {
    const shape = this.#data.shape.iterators[iterator];
    const table = this.#data.tableOf(iterator);
    if (shape?.kind !== 'items') return table.entryCount;
    const lists = table.lists(shape.collection);
    let items = 0;
    for (let start = 0; start < table.size; start += CHUNK_ROWS) {
      items += lists.chunk(start / CHUNK_ROWS).size;
    }
    return items;
  }

  /** Items per row of the collection they are in. */
  itemsPerRow(iterator: number): number {
    const shape = this.#data.shape.iterators[iterator];
    if (shape?.kind !== 'items') return 1;
    return this.rows(iterator) / Math.max(1, this.rows(shape.parent));
  }

  #sample(iterator: number): RowSample {
    const known = this.#samples.get(iterator);
    if (known !== undefined) return known;
    const table = this.#data.tableOf(iterator);
    const rows: number[] = [];
    const stride = Math.max(1, table.size / SAMPLE_ROWS);
    for (let at = 0; at < table.size; at += stride) {
      const row = Math.floor(at);
      if (table.isVisible(row)) rows.push(row);
    }
    const sample = this.#data.sample(iterator, Uint32Array.from(rows));
    this.#samples.set(iterator, sample);
    return sample;
  }
}

/** The selectivity of conditions without a sample. */
function defaultSelectivity(conditions: readonly BoundExpression[]): number {
  return conditions.reduce((product, each) => {
    const operator = each.kind === 'comparison' ? each.operator : undefined;
    return product * (operator === '=' ? 0.1 : operator === '<>' ? 0.9 : 1 / 3);
  }, 1);
}
