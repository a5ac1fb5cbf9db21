// The keys of GROUP BY as codes: equal keys have equal codes, given in the order in which they are
// first seen. Groups are opened one by one, with the key of their first row.

import type { Value } from '../../../../value/value.ts';
import { KeyEncoder } from '../codes/key-encoder.ts';
import { PairEncoder } from '../codes/pair-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import type { Runtime } from '../runtime.ts';
import { ColumnKeys, ComputedKeys, type GroupKeys } from './group-keys.ts';

interface GroupKey {
  readonly slot: number;
  readonly encoder: KeyEncoder;
  /** Keys of the groups so far. */
  readonly groups: GroupKeys;
}

export class GroupCodes {
  readonly #runtime: Runtime;
  readonly #keys: readonly GroupKey[];
  readonly #pairs: readonly PairEncoder[];

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
  }

  /** Whether a key has to be computed row by row. */
  get isComputed(): boolean {
    return this.#keys.some(({ slot }) => slot < 0);
  }

  /** Number of codes given out. */
  get size(): number {
    const last = this.#pairs.at(-1) ?? this.#keys[0]?.encoder;
    return last?.size ?? 1;
  }

  /** Writes the codes of the given rows. */
  encode(frame: Frame, rows: Uint32Array, codes: Uint32Array): void {
    const [first, ...others] = this.#keys;
    if (first === undefined) {
      codes.fill(0);
      return;
    }
    this.#encodeGroupKey(0, first, frame, rows, codes);
    const scratch = others.length === 0 ? codes : new Uint32Array(rows.length);
    others.forEach((key, index) => {
      this.#encodeGroupKey(index + 1, key, frame, rows, scratch);
      const pairs = this.#pairs[index];
      for (let at = 0; at < codes.length && pairs !== undefined; at += 1) {
        codes[at] = pairs.encode(codes[at] ?? 0, scratch[at] ?? 0);
      }
    });
  }

  /** Opens the next group, with the keys of a row. */
  open(frame: Frame, row: number): void {
    for (const { groups } of this.#keys) groups.open(frame, row);
    this.#runtime.budget.keep(1, this.#runtime.place);
  }

  values(group: number): readonly Value[] {
    return this.#keys.map(({ groups }) => groups.value(group));
  }

  /** The order of two groups by their keys. */
  readonly order = (left: number, right: number): number => {
    for (const { groups } of this.#keys) {
      const order = groups.order(left, right);
      if (order !== 0) return order;
    }
    return 0;
  };

  #encodeGroupKey(
    index: number,
    { slot, encoder }: GroupKey,
    frame: Frame,
    rows: Uint32Array,
    codes: Uint32Array,
  ): void {
    if (slot >= 0) {
      encoder.encode(frame.vector(slot), rows, codes);
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
}
