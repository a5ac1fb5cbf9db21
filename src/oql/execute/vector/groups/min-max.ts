// MIN and MAX. A group stores its best number and the position of that; objects for a million
// groups would keep the garbage collector busy for tens of milliseconds.

import { INTEGER, isNumberTag, NULL, UNSURE } from '../../../../value/row-tags.ts';
import { Double, type Value } from '../../../../value/value.ts';
import type { BoundAggregate } from '../../../bind/bound-query.ts';
import type { Accumulator } from '../../../reference/aggregates.ts';
import { PagedDoubles, PagedWords } from '../codes/pages.ts';
import { RowPositions } from '../frames/kept-rows.ts';
import {
  type ArgumentReader,
  addTo,
  type GroupedRows,
  type VectorAggregate,
} from './argument-reader.ts';

export class MinMax implements VectorAggregate {
  readonly #reader: ArgumentReader;
  readonly #isMax: boolean;
  /** The best number of each group; NaN if it has none yet. */
  readonly #best = new PagedDoubles(Number.NaN);
  /** The position of that number; computed numbers have a tag instead. */
  readonly #rows: RowPositions | undefined;
  readonly #tags = new PagedWords();
  /** Groups with other values than numbers, and their accumulators. */
  readonly #others = new Map<number, Accumulator>();

  constructor(aggregate: BoundAggregate, reader: ArgumentReader) {
    this.#reader = reader;
    this.#isMax = aggregate.function === 'max';
    this.#rows = reader.column && new RowPositions(reader.column);
  }

  add({ frame, rows, groups, groupCount }: GroupedRows): void {
    this.#best.growFirst(groupCount);
    const best = this.#best.first;
    const vector = this.#reader.vector?.(frame);
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const group = groups[at] ?? 0;
      const tag = vector?.tags[row] ?? UNSURE;
      const value = vector?.numbers[row] ?? Number.NaN;
      const known = best[group] ?? this.#best.at(group);
      // False for NaN, so that only a worse or equal number is skipped.
      const isNoBetter = this.#isMax ? value <= known : value >= known;
      if (isNoBetter || tag <= NULL) continue;
      if (this.#isPlain(group, tag)) this.#improve({ group, value, tag }, frame, row);
      else this.#addOther(group, this.#reader.key.read(frame, row));
    }
  }

  #isPlain(group: number, tag: number): boolean {
    return isNumberTag(tag) && (this.#others.size === 0 || !this.#others.has(group));
  }

  #improve(
    { group, value, tag }: Readonly<Record<'group' | 'value' | 'tag', number>>,
    frame: GroupedRows['frame'],
    row: number,
  ): void {
    this.#best.set(group, value);
    if (this.#rows === undefined) this.#tags.set(group, tag);
    else this.#rows.set(group, frame, row);
  }

  /** From then on the accumulator decides the result and failures. */
  #addOther(group: number, value: Value): void {
    let accumulator = this.#others.get(group);
    if (accumulator === undefined) {
      accumulator = this.#reader.createAccumulator();
      addTo(accumulator, this.#bestOf(group));
      this.#others.set(group, accumulator);
      this.#best.set(group, Number.NaN);
    }
    addTo(accumulator, value);
  }

  /** null if the group has no number. */
  #bestOf(group: number): Value {
    const best = this.#best.at(group);
    if (Number.isNaN(best)) return null;
    if (this.#rows !== undefined) return this.#rows.value(group);
    return this.#tags.at(group) === INTEGER ? best : new Double(best);
  }

  result(group: number): Value {
    return this.#others.get(group)?.result() ?? this.#bestOf(group);
  }
}
