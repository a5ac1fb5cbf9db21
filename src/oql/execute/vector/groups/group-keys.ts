// The keys of groups. If a key is a column, a group stores the position of its first row instead of
// the value.

import { totalOrder } from '../../../../value/compare.ts';
import { isNumberTag, STRING } from '../../../../value/row-tags.ts';
import { compareIds } from '../../../../value/utf8-order.ts';
import { Double, type Value } from '../../../../value/value.ts';
import { PagedDoubles, PagedWords } from '../codes/pages.ts';
import { TextStore } from '../codes/text-store.ts';
import type { Frame, QueryColumn } from '../frames/frame.ts';
import { RowPositions } from '../frames/row-positions.ts';

/** One key of all groups, by their numbers. */
export interface GroupKeys {
  /** Opens the next group, with the key of a row. */
  open(frame: Frame, row: number): void;
  value(group: number): Value;
  /** The order of two groups by this key, as of their values. */
  order(left: number, right: number): number;
}

/** A key that is read from a column. */
export class ColumnKeys implements GroupKeys {
  readonly #rows: RowPositions;
  #size = 0;

  constructor(column: QueryColumn) {
    this.#rows = new RowPositions(column);
  }

  open(frame: Frame, row: number): void {
    this.#rows.set(this.#size, frame, row);
    this.#size += 1;
  }

  value(group: number): Value {
    return this.#rows.value(group);
  }

  order(left: number, right: number): number {
    const a = this.#rows.chunk(left);
    const b = this.#rows.chunk(right);
    const leftPosition = this.#rows.position(left);
    const rightPosition = this.#rows.position(right);
    const leftTag = a.tags[leftPosition] ?? 0;
    const rightTag = b.tags[rightPosition] ?? 0;
    if (isNumberTag(leftTag) && isNumberTag(rightTag)) {
      return (a.numbers[leftPosition] ?? 0) - (b.numbers[rightPosition] ?? 0);
    }
    if (leftTag === STRING && rightTag === STRING) {
      const { strings } = this.#rows.column;
      return compareIds(strings, a.ids[leftPosition] ?? 0, strings, b.ids[rightPosition] ?? 0);
    }
    return totalOrder(this.value(left), this.value(right));
  }
}

/** A key that is computed. Numbers and texts are stored without an object for each. */
export class ComputedKeys implements GroupKeys {
  readonly #compute: (frame: Frame, row: number) => Value;
  readonly #kinds = new PagedWords();
  /** Numbers, and the numbers of texts in `#texts`. */
  readonly #numbers = new PagedDoubles();
  readonly #texts = new TextStore();
  readonly #others = new Map<number, Value>();
  #size = 0;

  constructor(compute: (frame: Frame, row: number) => Value) {
    this.#compute = compute;
  }

  open(frame: Frame, row: number): void {
    const value = this.#compute(frame, row);
    const group = this.#size;
    this.#size += 1;
    if (typeof value === 'number') this.#set(group, WHOLE, value);
    else if (typeof value === 'string') this.#set(group, TEXT, this.#texts.add(value));
    else if (value instanceof Double && value.text === undefined) {
      this.#set(group, FRACTION, value.value);
    } else this.#others.set(group, value);
  }

  #set(group: number, kind: number, number: number): void {
    this.#kinds.set(group, kind);
    this.#numbers.set(group, number);
  }

  value(group: number): Value {
    const number = this.#numbers.at(group);
    switch (this.#kinds.at(group)) {
      case WHOLE:
        return number;
      case FRACTION:
        return new Double(number);
      case TEXT:
        return this.#texts.text(number);
      default:
        return this.#others.get(group) ?? null;
    }
  }

  order(left: number, right: number): number {
    return totalOrder(this.value(left), this.value(right));
  }
}

/** Kinds of computed keys; all others have 0. */
const WHOLE = 1;
const FRACTION = 2;
const TEXT = 3;
