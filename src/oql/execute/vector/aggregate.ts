// COUNT, SUM, AVG, MIN, MAX over frames. The everyday cases run on numbers; a group that meets
// anything else (a big integer, a value of another kind) goes on with the accumulator of the
// reference evaluator, which then has the last word on results and failures alike.

import { Double, type Value } from '../../../value/value.ts';
import type { BoundAggregate } from '../../bind/bound-query.ts';
import { type Accumulator, createAccumulator } from '../aggregates.ts';
import { isRowFailure } from '../environment.ts';
import { DOUBLE, INTEGER, NULL, SPELLED_DOUBLE, UNSURE } from './column-source.ts';
import { numericOperand } from './compile-condition.ts';
import type { Operand } from './condition.ts';
import type { Frame, Vector } from './frame.ts';
import { KeyEncoder, PairEncoder } from './key-encoder.ts';
import { readValue } from './read-value.ts';
import { AskReference, type Runtime } from './runtime.ts';

export interface GroupedRows {
  readonly frame: Frame;
  readonly rows: Uint32Array;
  /** Group of each of `rows`. */
  readonly groups: Uint32Array;
  readonly groupCount: number;
}

export interface VectorAggregate {
  add(rows: GroupedRows): void;
  result(group: number): Value;
}

export function createAggregate(runtime: Runtime, index: number): VectorAggregate {
  const aggregate = runtime.shape.select.grouping?.aggregates[index];
  if (aggregate === undefined) throw new Error('no such aggregate');
  const { argument } = aggregate;
  if (argument === undefined) return new CountAll();
  const reader = new ArgumentReader(runtime, aggregate, index);
  if (aggregate.distinct) return new Distinct(createPlain(aggregate, reader), reader);
  return createPlain(aggregate, reader);
}

function createPlain(aggregate: BoundAggregate, reader: ArgumentReader): VectorAggregate {
  switch (aggregate.function) {
    case 'count':
      return new Count(reader);
    case 'sum':
    case 'avg':
      return new Sum(aggregate, reader);
    case 'min':
    case 'max':
      return new Extreme(aggregate, reader);
  }
}

/** Gives the argument of an aggregate, as numbers where it can and as values where it must. */
class ArgumentReader {
  readonly #runtime: Runtime;
  readonly #index: number;
  readonly slot: number;
  readonly #operand: Operand | undefined;

  constructor(runtime: Runtime, aggregate: BoundAggregate, index: number) {
    const { argument } = aggregate;
    this.#runtime = runtime;
    this.#index = index;
    this.slot = argument === undefined ? -1 : runtime.slotOf(argument);
    const numeric = argument && numericOperand(argument, runtime.conditions);
    this.#operand = numeric?.kind === 'vector' ? numeric.read : undefined;
  }

  /** Undefined when the argument can only be computed value by value. */
  vector(frame: Frame): Vector | undefined {
    return this.#operand?.(frame);
  }

  value(frame: Frame, row: number): Value {
    if (this.slot >= 0) {
      return readValue(frame.vector(this.slot), row, frame.slot(this.slot).column);
    }
    const evaluate = this.#runtime.compiled.grouping?.arguments[this.#index]?.evaluate;
    if (evaluate === undefined) throw new Error('an argument was not compiled');
    return this.#runtime.evaluate(evaluate, frame, row);
  }

  accumulator(): Accumulator {
    const aggregate = this.#runtime.shape.select.grouping?.aggregates[this.#index];
    if (aggregate === undefined) throw new Error('no such aggregate');
    const place = { text: this.#runtime.place.text, span: aggregate.span };
    // Distinct values are told apart before they come here.
    return createAccumulator({ ...aggregate, distinct: false }, place);
  }

  encoder(): KeyEncoder {
    return new KeyEncoder(this.#runtime.slots[this.slot]?.column);
  }
}

function addTo(accumulator: Accumulator, value: Value): void {
  try {
    accumulator.add(value);
  } catch (error) {
    throw isRowFailure(error) ? new AskReference('an aggregate fails', { cause: error }) : error;
  }
}

class CountAll implements VectorAggregate {
  #counts: Float64Array = new Float64Array(64);

  add({ rows, groups, groupCount }: GroupedRows): void {
    this.#counts = ensure(this.#counts, groupCount);
    const counts = this.#counts;
    for (let at = 0; at < rows.length; at += 1) {
      const group = groups[at] ?? 0;
      counts[group] = (counts[group] ?? 0) + 1;
    }
  }

  result(group: number): Value {
    return this.#counts[group] ?? 0;
  }
}

class Count implements VectorAggregate {
  readonly #reader: ArgumentReader;
  #counts: Float64Array = new Float64Array(64);

  constructor(reader: ArgumentReader) {
    this.#reader = reader;
  }

  add({ frame, rows, groups, groupCount }: GroupedRows): void {
    this.#counts = ensure(this.#counts, groupCount);
    const counts = this.#counts;
    const vector = this.#reader.vector(frame);
    for (let at = 0; at < rows.length; at += 1) {
      const group = groups[at] ?? 0;
      const row = rows[at] ?? 0;
      if (!this.#isPresent(vector, frame, row)) continue;
      counts[group] = (counts[group] ?? 0) + 1;
    }
  }

  #isPresent(vector: Vector | undefined, frame: Frame, row: number): boolean {
    const tag = vector?.tags[row] ?? UNSURE;
    if (tag !== UNSURE) return tag > NULL;
    const value = this.#reader.value(frame, row);
    return value !== null && typeof value !== 'symbol';
  }

  result(group: number): Value {
    return this.#counts[group] ?? 0;
  }
}

const NUMBER_TAGS = (1 << INTEGER) | (1 << DOUBLE) | (1 << SPELLED_DOUBLE);

/** Whole sums up to here are exact in a double. */
const MOST_EXACT = Number.MAX_SAFE_INTEGER;

const WHOLE = 0;
const FRACTION = 1;
/** The group went over to an accumulator. */
const EXACT = 2;

/** SUM and AVG. Whole numbers and fractions are added up apart, as the reference does. */
class Sum implements VectorAggregate {
  readonly #reader: ArgumentReader;
  readonly #isAverage: boolean;
  #wholes: Float64Array = new Float64Array(64);
  #fractions: Float64Array = new Float64Array(64);
  #counts: Float64Array = new Float64Array(64);
  #modes: Uint8Array = new Uint8Array(64);
  readonly #exact = new Map<number, Accumulator>();

  constructor(aggregate: BoundAggregate, reader: ArgumentReader) {
    this.#reader = reader;
    this.#isAverage = aggregate.function === 'avg';
  }

  add(grouped: GroupedRows): void {
    const { frame, rows, groups, groupCount } = grouped;
    this.#ensureGroups(groupCount);
    const vector = this.#reader.vector(frame);
    if (vector !== undefined) {
      const isPlain = (vector.mask & ~NUMBER_TAGS) === 0 && this.#exact.size === 0;
      const added = isPlain ? this.#addPlain(vector, grouped) : 0;
      if (added < rows.length) this.#addNumbers(vector, grouped, added);
      return;
    }
    for (let at = 0; at < rows.length; at += 1) {
      this.#addExactly(groups[at] ?? 0, this.#reader.value(frame, rows[at] ?? 0));
    }
  }

  #ensureGroups(groupCount: number): void {
    this.#wholes = ensure(this.#wholes, groupCount);
    this.#fractions = ensure(this.#fractions, groupCount);
    this.#counts = ensure(this.#counts, groupCount);
    if (this.#modes.length >= groupCount) return;
    const grown = new Uint8Array(groupCount * 2);
    grown.set(this.#modes);
    this.#modes = grown;
  }

  /** While all values are numbers and no sum is too large; gives how many rows it got through. */
  #addPlain({ tags, numbers }: Vector, { rows, groups }: GroupedRows): number {
    const wholes = this.#wholes;
    const fractions = this.#fractions;
    const counts = this.#counts;
    const modes = this.#modes;
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const group = groups[at] ?? 0;
      if (tags[row] === INTEGER) {
        const sum = (wholes[group] ?? 0) + (numbers[row] ?? 0);
        if (sum > MOST_EXACT || sum < -MOST_EXACT) return at;
        wholes[group] = sum;
      } else {
        fractions[group] = (fractions[group] ?? 0) + (numbers[row] ?? 0);
        modes[group] = FRACTION;
      }
      counts[group] = (counts[group] ?? 0) + 1;
    }
    return rows.length;
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over all rows of a frame
  #addNumbers({ tags, numbers }: Vector, { frame, rows, groups }: GroupedRows, from: number): void {
    const wholes = this.#wholes;
    const fractions = this.#fractions;
    const counts = this.#counts;
    const modes = this.#modes;
    for (let at = from; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const tag = tags[row] ?? 0;
      if (tag <= NULL) continue;
      const group = groups[at] ?? 0;
      const mode = modes[group] ?? WHOLE;
      if (mode === EXACT || tag < INTEGER || tag > SPELLED_DOUBLE) {
        this.#addExactly(group, this.#reader.value(frame, row));
        continue;
      }
      const value = numbers[row] ?? 0;
      if (tag === INTEGER) {
        const sum = (wholes[group] ?? 0) + value;
        if (sum > MOST_EXACT || sum < -MOST_EXACT) {
          this.#addExactly(group, value);
          continue;
        }
        wholes[group] = sum;
      } else {
        fractions[group] = (fractions[group] ?? 0) + value;
        modes[group] = FRACTION;
      }
      counts[group] = (counts[group] ?? 0) + 1;
    }
  }

  #addExactly(group: number, value: Value): void {
    let accumulator = this.#exact.get(group);
    if (accumulator === undefined) {
      accumulator = this.#reader.accumulator();
      this.#exact.set(group, accumulator);
      this.#handOver(group, accumulator);
    }
    addTo(accumulator, value);
  }

  /** An average also needs the number of values that went into the sums so far. */
  #handOver(group: number, accumulator: Accumulator): void {
    const hasFraction = this.#modes[group] === FRACTION;
    this.#modes[group] = EXACT;
    let left = this.#counts[group] ?? 0;
    if (left === 0) return;
    if (hasFraction) {
      addTo(accumulator, new Double(this.#fractions[group] ?? 0));
      left -= 1;
    }
    // With fractions alone the whole part is zero, and one value too many would be counted.
    if (left > 0) addTo(accumulator, this.#wholes[group] ?? 0);
    for (let more = 1; this.#isAverage && more < left; more += 1) addTo(accumulator, 0);
  }

  result(group: number): Value {
    const exact = this.#exact.get(group);
    if (exact !== undefined) return exact.result();
    const whole = this.#wholes[group] ?? 0;
    const hasFraction = this.#modes[group] === FRACTION;
    const sum = hasFraction ? whole + (this.#fractions[group] ?? 0) : whole;
    if (!this.#isAverage) return hasFraction ? new Double(sum) : sum;
    const average = sum / (this.#counts[group] ?? 0);
    return Number.isInteger(average) ? new Double(average, String(average)) : new Double(average);
  }
}

/** MIN and MAX: the accumulator sees only values that may change its mind. */
class Extreme implements VectorAggregate {
  readonly #reader: ArgumentReader;
  readonly #isMax: boolean;
  /** The number the accumulator holds; NaN when it holds none or something else. */
  #best: Float64Array = new Float64Array(64).fill(Number.NaN);
  readonly #accumulators: Accumulator[] = [];

  constructor(aggregate: BoundAggregate, reader: ArgumentReader) {
    this.#reader = reader;
    this.#isMax = aggregate.function === 'max';
  }

  add({ frame, rows, groups, groupCount }: GroupedRows): void {
    this.#openGroups(groupCount);
    const best = this.#best;
    const vector = this.#reader.vector(frame);
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const group = groups[at] ?? 0;
      const tag = vector?.tags[row] ?? UNSURE;
      if (tag <= NULL) continue;
      const value = vector?.numbers[row] ?? Number.NaN;
      const known = best[group] ?? Number.NaN;
      // False for NaN, so that all but a worse or equal number goes on.
      if (this.#isMax ? value <= known : value >= known) continue;
      const accumulator = this.#accumulators[group];
      if (accumulator === undefined) continue;
      addTo(accumulator, this.#reader.value(frame, row));
      best[group] = value;
    }
  }

  #openGroups(groupCount: number): void {
    while (this.#accumulators.length < groupCount) {
      this.#accumulators.push(this.#reader.accumulator());
    }
    if (this.#best.length >= groupCount) return;
    const grown = new Float64Array(groupCount * 2).fill(Number.NaN);
    grown.set(this.#best);
    this.#best = grown;
  }

  result(group: number): Value {
    return this.#accumulators[group]?.result() ?? null;
  }
}

/** Passes on each different value of a group once. */
class Distinct implements VectorAggregate {
  readonly #inner: VectorAggregate;
  readonly #reader: ArgumentReader;
  readonly #encoder: KeyEncoder;
  readonly #pairs = new PairEncoder();

  constructor(inner: VectorAggregate, reader: ArgumentReader) {
    this.#inner = inner;
    this.#reader = reader;
    this.#encoder = reader.encoder();
  }

  add({ frame, rows, groups, groupCount }: GroupedRows): void {
    const codes = new Uint32Array(rows.length);
    if (this.#reader.slot >= 0) {
      this.#encoder.encodeSlot(frame, this.#reader.slot, rows, codes);
    } else {
      for (let at = 0; at < rows.length; at += 1) {
        codes[at] = this.#encoder.encodeValue(this.#reader.value(frame, rows[at] ?? 0));
      }
    }
    const newRows: number[] = [];
    const newGroups: number[] = [];
    for (let at = 0; at < rows.length; at += 1) {
      const seen = this.#pairs.size;
      if (this.#pairs.encode(groups[at] ?? 0, codes[at] ?? 0) < seen) continue;
      newRows.push(rows[at] ?? 0);
      newGroups.push(groups[at] ?? 0);
    }
    this.#inner.add({
      frame,
      rows: Uint32Array.from(newRows),
      groups: Uint32Array.from(newGroups),
      groupCount,
    });
  }

  result(group: number): Value {
    return this.#inner.result(group);
  }
}

function ensure(array: Float64Array, size: number): Float64Array {
  if (array.length >= size) return array;
  const grown = new Float64Array(size * 2);
  grown.set(array);
  return grown;
}
