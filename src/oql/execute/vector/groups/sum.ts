// SUM and AVG. Integers and fractions are summed separately, as in the reference evaluator.

import { toPlainDouble } from '../../../../value/number.ts';
import { INTEGER, isNumberTag, NULL, NUMBER_TAGS } from '../../../../value/row-tags.ts';
import { Double, type Value } from '../../../../value/value.ts';
import type { BoundAggregate } from '../../../bind/bound-query.ts';
import type { Accumulator } from '../../../reference/aggregates.ts';
import { PAGE_SIZE, PagedDoubles } from '../codes/pages.ts';
import { isRun } from '../frames/scan-frames.ts';
import type { Vector } from '../frames/vector.ts';
import type { ReadVector } from '../predicates/predicate.ts';
import {
  type ArgumentReader,
  addTo,
  type GroupedRows,
  type VectorAggregate,
} from './argument-reader.ts';
import { GroupCounts } from './group-counts.ts';

/** Whole sums up to here are exact in a double. */
const MAX_EXACT = Number.MAX_SAFE_INTEGER;

/**
 * The sum of no fractions. Adding a number gives that number, and no later sum is -0, because no
 * column has -0 as a number.
 */
const NO_FRACTION = -0;

export class Sum implements VectorAggregate {
  readonly #reader: ArgumentReader;
  readonly #vector: ReadVector;
  readonly #isAverage: boolean;
  readonly #ofNothing: Value;
  readonly #wholes = new PagedDoubles();
  readonly #fractions = new PagedDoubles(NO_FRACTION);
  /** Values in each group, kept for averages alone. */
  readonly #counts = new GroupCounts();
  /** Groups that continue with an accumulator. */
  readonly #exact = new Map<number, Accumulator>();

  constructor(aggregate: BoundAggregate, reader: ArgumentReader, vector: ReadVector) {
    this.#reader = reader;
    this.#vector = vector;
    this.#isAverage = aggregate.function === 'avg';
    this.#ofNothing = aggregate.ofNothing ?? null;
  }

  add(grouped: GroupedRows): void {
    const { frame, rows, groups, groupCount } = grouped;
    this.#counts.addAll(groups, 0, groupCount);
    this.#wholes.growFirst(groupCount);
    this.#fractions.growFirst(groupCount);
    const vector = this.#vector(frame);
    const isOfNumbers = (vector.mask & ~NUMBER_TAGS) === 0 && this.#exact.size === 0;
    const isPlain = isOfNumbers && groupCount <= PAGE_SIZE;
    const added = isPlain ? this.#addPlain(vector, grouped) : 0;
    if (added < rows.length) this.#addNumbers(vector, grouped, added);
  }

  /**
   * Adds rows while all values are numbers and no sum is too large; returns how many it added. All
   * groups must be on the first page.
   */
  #addPlain(vector: Vector, grouped: GroupedRows): number {
    const { rows, groups, groupCount } = grouped;
    const sums = { wholes: this.#wholes.first, fractions: this.#fractions.first };
    const added = isRun(rows)
      ? addRun(vector, rows, groups, sums)
      : addRows(vector, rows, groups, sums);
    if (this.#isAverage) this.#counts.addAll(groups, added, groupCount);
    return added;
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over all rows of a frame
  #addNumbers({ tags, numbers }: Vector, { frame, rows, groups }: GroupedRows, from: number): void {
    const wholes = this.#wholes;
    const fractions = this.#fractions;
    for (let at = from; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const tag = tags[row] ?? 0;
      if (tag <= NULL) continue;
      const group = groups[at] ?? 0;
      const isNumber = isNumberTag(tag);
      const isExact = this.#exact.size > 0 && this.#exact.has(group);
      const sum = wholes.at(group) + (numbers[row] ?? 0);
      if (isExact || !isNumber || (tag === INTEGER && (sum > MAX_EXACT || sum < -MAX_EXACT))) {
        this.#addExactly(group, this.#reader.key.read(frame, row));
        continue;
      }
      if (tag === INTEGER) wholes.set(group, sum);
      else fractions.set(group, fractions.at(group) + (numbers[row] ?? 0));
      if (this.#isAverage) this.#counts.addOne(group);
    }
  }

  #addExactly(group: number, value: Value): void {
    let accumulator = this.#exact.get(group);
    if (accumulator === undefined) {
      accumulator = this.#reader.createAccumulator();
      this.#exact.set(group, accumulator);
      this.#handOver(group, accumulator);
    }
    addTo(accumulator, value);
  }

  #handOver(group: number, accumulator: Accumulator): void {
    const whole = this.#wholes.at(group);
    const hasFraction = this.#hasFraction(group);
    if (hasFraction) addTo(accumulator, new Double(this.#fractions.at(group)));
    // An average also needs the number of values that went into the sums so far.
    const remaining = this.#isAverage ? this.#counts.of(group) - Number(hasFraction) : 1;
    // With fractions alone the integer part is zero, and one value too many would be counted.
    if (remaining > 0) addTo(accumulator, whole);
    for (let more = 1; more < remaining; more += 1) addTo(accumulator, 0);
  }

  #hasFraction(group: number): boolean {
    return !Object.is(this.#fractions.at(group), NO_FRACTION);
  }

  result(group: number): Value {
    const exact = this.#exact.get(group);
    if (exact !== undefined) return exact.result();
    const whole = this.#wholes.at(group);
    const hasFraction = this.#hasFraction(group);
    const sum = hasFraction ? whole + this.#fractions.at(group) : whole;
    if (!this.#isAverage) return hasFraction ? new Double(sum) : sum;
    const count = this.#counts.of(group);
    return count === 0 ? this.#ofNothing : toPlainDouble(sum / count);
  }
}

/** By group. */
interface Sums {
  readonly wholes: Float64Array;
  readonly fractions: Float64Array;
}

/** Returns the number of rows that were added before an integer sum became too large. */
function addRows(
  { tags, numbers }: Vector,
  rows: Uint32Array,
  groups: Uint32Array,
  { wholes, fractions }: Sums,
): number {
  let at = 0;
  for (; at < rows.length; at += 1) {
    const row = rows[at] ?? 0;
    const group = groups[at] ?? 0;
    if (tags[row] === INTEGER) {
      const sum = (wholes[group] ?? 0) + (numbers[row] ?? 0);
      if (sum > MAX_EXACT || sum < -MAX_EXACT) break;
      wholes[group] = sum;
    } else {
      fractions[group] = (fractions[group] ?? 0) + (numbers[row] ?? 0);
    }
  }
  return at;
}

/** The same for consecutive rows. */
function addRun(
  { tags, numbers }: Vector,
  rows: Uint32Array,
  groups: Uint32Array,
  { wholes, fractions }: Sums,
): number {
  const start = rows[0] ?? 0;
  let at = 0;
  for (; at < rows.length; at += 1) {
    const group = groups[at] ?? 0;
    const value = numbers[start + at] ?? 0;
    if (tags[start + at] === INTEGER) {
      const sum = (wholes[group] ?? 0) + value;
      if (sum > MAX_EXACT || sum < -MAX_EXACT) break;
      wholes[group] = sum;
    } else {
      fractions[group] = (fractions[group] ?? 0) + value;
    }
  }
  return at;
}
