// Aggregates over frames. The common cases use arrays of numbers. A group with another value (a big
// integer, a value of another kind) continues with the accumulator of the reference evaluator,
// which then decides its result and its failures.

import { ABSENT_TAGS, NULL, UNSURE } from '../../../../value/row-tags.ts';
import { isAbsent, type Value } from '../../../../value/value.ts';
import type { BoundAggregate } from '../../../bind/bound-query.ts';
import type { Accumulator } from '../../../reference/aggregates.ts';
import { RowEncoder } from '../codes/row-encoder.ts';
import { gather } from '../frames/frame.ts';
import {
  type ArgumentReader,
  addTo,
  type GroupedRows,
  type VectorAggregate,
} from './argument-reader.ts';
import { GroupCounts } from './group-counts.ts';
import { MinMax } from './min-max.ts';
import { Sum } from './sum.ts';

/** Without a reader the aggregate has no argument, as COUNT(*). */
export function createAggregate(
  aggregate: BoundAggregate,
  reader: ArgumentReader | undefined,
): VectorAggregate {
  if (reader === undefined) return new Count();
  const plain = createPlain(aggregate, reader);
  return aggregate.distinct ? new Distinct(plain, reader) : plain;
}

function createPlain(aggregate: BoundAggregate, reader: ArgumentReader): VectorAggregate {
  const { vector } = reader;
  switch (aggregate.function) {
    case 'count':
      return new Count(reader);
    case 'sum':
    case 'avg':
      return vector ? new Sum(aggregate, reader, vector) : new Accumulated(reader);
    case 'min':
    case 'max':
      return new MinMax(aggregate, reader);
    default:
      return new Accumulated(reader);
  }
}

/** Tags of rows that COUNT skips, or that have to be computed. */
const DOUBTFUL = ABSENT_TAGS | (1 << UNSURE);

class Count implements VectorAggregate {
  readonly #reader: ArgumentReader | undefined;
  readonly #counts = new GroupCounts();

  constructor(reader?: ArgumentReader) {
    this.#reader = reader;
  }

  add({ frame, rows, groups, groupCount }: GroupedRows): void {
    const reader = this.#reader;
    const vector = reader?.vector?.(frame);
    if (reader === undefined || (vector !== undefined && (vector.mask & DOUBTFUL) === 0)) {
      this.#counts.addAll(groups, rows.length, groupCount);
      return;
    }
    this.#counts.addAll(groups, 0, groupCount);
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const tag = vector?.tags[row] ?? UNSURE;
      const isPresent = tag === UNSURE ? !isAbsent(reader.key.read(frame, row)) : tag > NULL;
      if (isPresent) this.#counts.addOne(groups[at] ?? 0);
    }
  }

  result(group: number): Value {
    return this.#counts.of(group);
  }
}

/** Without a loop over vectors: every value is added to the accumulator of its group. */
class Accumulated implements VectorAggregate {
  readonly #reader: ArgumentReader;
  readonly #groups: (Accumulator | undefined)[] = [];

  constructor(reader: ArgumentReader) {
    this.#reader = reader;
  }

  add({ frame, rows, groups, groupCount }: GroupedRows): void {
    while (this.#groups.length < groupCount) this.#groups.push(undefined);
    for (let at = 0; at < rows.length; at += 1) {
      const group = groups[at] ?? 0;
      this.#groups[group] ??= this.#reader.createAccumulator();
      addTo(this.#groups[group], this.#reader.key.read(frame, rows[at] ?? 0));
    }
  }

  result(group: number): Value {
    return this.#groups[group]?.result() ?? null;
  }
}

/** Adds each distinct value of a group once. */
class Distinct implements VectorAggregate {
  readonly #inner: VectorAggregate;
  readonly #encoder: RowEncoder;

  constructor(inner: VectorAggregate, reader: ArgumentReader) {
    this.#inner = inner;
    this.#encoder = new RowEncoder([reader.key]);
  }

  add(grouped: GroupedRows): void {
    const { frame, rows, groups } = grouped;
    const positions = this.#encoder.findNew(frame, rows, groups);
    this.#inner.add({
      ...grouped,
      rows: gather(rows, positions),
      groups: gather(groups, positions),
    });
  }

  result(group: number): Value {
    return this.#inner.result(group);
  }
}
