// GROUP BY and aggregates over frames: rows get the number of their group, then each aggregate runs
// down the frame once.

import type { Value } from '../../../../value/value.ts';
import type { Group } from '../../../reference/environment.ts';
import { KeyEncoder, PairEncoder } from '../codes/key-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import type { Runtime } from '../runtime.ts';
import { createAggregate } from './aggregate.ts';
import type { VectorAggregate } from './argument-reader.ts';
import { ColumnKeys, ComputedKeys, type GroupKeys } from './group-keys.ts';

interface GroupKey {
  readonly slot: number;
  readonly encoder: KeyEncoder;
  /** Of the groups so far. */
  readonly groups: GroupKeys;
}

export class Grouper {
  readonly #runtime: Runtime;
  readonly #keys: readonly GroupKey[];
  readonly #pairs: readonly PairEncoder[];
  readonly #aggregates: readonly VectorAggregate[];
  /** Number of groups, which are numbered in the order of their first rows. */
  size = 0;
  #codes: Uint32Array = new Uint32Array(4096);

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    const { grouping } = runtime.shape.select;
    this.#keys = (grouping?.keys ?? []).map((key, index) => {
      const slot = runtime.slotOf(key);
      const place = runtime.slots[slot];
      const groups =
        place === undefined
          ? new ComputedKeys((frame, row) => this.#computeKey(index, frame, row))
          : new ColumnKeys(place);
      return { slot, encoder: new KeyEncoder(place?.column), groups };
    });
    this.#pairs = this.#keys.slice(1).map(() => new PairEncoder());
    this.#aggregates = (grouping?.aggregates ?? []).map((_, index) =>
      createAggregate(runtime, index),
    );
  }

  /** Whether keys or arguments have to be computed row by row. */
  get isComputed(): boolean {
    return (
      this.#keys.some(({ slot }) => slot < 0) ||
      this.#aggregates.some(({ isComputed }) => isComputed)
    );
  }

  add(frame: Frame, rows: Uint32Array): void {
    if (rows.length === 0) return;
    if (this.#codes.length < rows.length) this.#codes = new Uint32Array(rows.length * 2);
    const codes = this.#codes.subarray(0, rows.length);
    this.#encode(frame, rows, codes);
    this.#openGroups(frame, rows, codes);
    for (const aggregate of this.#aggregates) {
      aggregate.add({ frame, rows, groups: codes, groupCount: this.size });
    }
  }

  /** A group with its values, made anew for each call. */
  group(group: number): Group {
    return {
      keys: this.#keys.map(({ groups }) => groups.value(group)),
      results: this.#aggregates.map((each) => each.result(group)),
    };
  }

  /** The order of two groups by their keys. */
  readonly order = (left: number, right: number): number => {
    for (const { groups } of this.#keys) {
      const order = groups.order(left, right);
      if (order !== 0) return order;
    }
    return 0;
  };

  #encode(frame: Frame, rows: Uint32Array, codes: Uint32Array): void {
    const [first, ...others] = this.#keys;
    if (first === undefined) {
      codes.fill(0);
      return;
    }
    this.#encodeKey(0, first, frame, rows, codes);
    const scratch = others.length === 0 ? codes : new Uint32Array(rows.length);
    others.forEach((key, index) => {
      this.#encodeKey(index + 1, key, frame, rows, scratch);
      const pairs = this.#pairs[index];
      for (let at = 0; at < codes.length && pairs !== undefined; at += 1) {
        codes[at] = pairs.encode(codes[at] ?? 0, scratch[at] ?? 0);
      }
    });
  }

  #encodeKey(
    index: number,
    { slot, encoder }: GroupKey,
    frame: Frame,
    rows: Uint32Array,
    codes: Uint32Array,
  ): void {
    if (slot >= 0) {
      encoder.encodeSlot(frame, slot, rows, codes);
      return;
    }
    for (let at = 0; at < rows.length; at += 1) {
      codes[at] = encoder.encodeValue(this.#computeKey(index, frame, rows[at] ?? 0));
    }
  }

  #computeKey(index: number, frame: Frame, row: number): Value {
    const evaluate = this.#runtime.compiled.grouping?.keys[index]?.evaluate;
    if (evaluate === undefined) throw new Error('a group key was not compiled');
    return this.#runtime.evaluate(evaluate, frame, row);
  }

  #codeCount(): number {
    const last = this.#pairs.at(-1) ?? this.#keys[0]?.encoder;
    return last?.size ?? 1;
  }

  /** Codes are given in order, so a code beyond the groups so far opens the next one. */
  #openGroups(frame: Frame, rows: Uint32Array, codes: Uint32Array): void {
    if (this.size > 0 && this.size === this.#codeCount()) return;
    for (let at = 0; at < codes.length; at += 1) {
      if ((codes[at] ?? 0) < this.size) continue;
      for (const { groups } of this.#keys) groups.open(frame, rows[at] ?? 0);
      this.size += 1;
      this.#runtime.budget.keep(1, this.#runtime.place);
    }
  }
}
