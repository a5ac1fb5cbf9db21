// An aggregate without its own loop: every value goes to the accumulator of its group.

import type { Value } from '../../../../value/value.ts';
import type { Accumulator } from '../../../reference/aggregates.ts';
import {
  type ArgumentReader,
  addTo,
  type GroupedRows,
  type VectorAggregate,
} from './argument-reader.ts';

export class Accumulated implements VectorAggregate {
  readonly isComputed = true;
  readonly #reader: ArgumentReader;
  readonly #groups: Accumulator[] = [];

  constructor(reader: ArgumentReader) {
    this.#reader = reader;
  }

  add({ frame, rows, groups, groupCount }: GroupedRows): void {
    while (this.#groups.length < groupCount) this.#groups.push(this.#reader.accumulator());
    for (let at = 0; at < rows.length; at += 1) {
      const accumulator = this.#groups[groups[at] ?? 0];
      if (accumulator !== undefined) addTo(accumulator, this.#reader.value(frame, rows[at] ?? 0));
    }
  }

  result(group: number): Value {
    return this.#groups[group]?.result() ?? null;
  }
}
