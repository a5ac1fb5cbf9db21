// ORDER BY over frames. It keeps the position and the sort keys of each row; with LIMIT, of little
// more than the needed rows. Keys are numbers (the value, or the id of a string), and null is below
// missing, which is below all values.

import { mergeSort } from '../../../../value/merge-sort.ts';
import { plainNumber } from '../../../../value/number.ts';
import {
  ABSENT_TAGS,
  FALSE,
  isNumberTag,
  NUMBER_TAGS,
  STRING,
} from '../../../../value/row-tags.ts';
import { compareIds } from '../../../../value/utf8-order.ts';
import { UNDEFINED, type Value } from '../../../../value/value.ts';
import type { SourceTable } from '../../../columnar/column-source.ts';
import type { SortNode } from '../../../plan/plan-node.ts';
import { QUERY_STEPS } from '../../../reference/sort-in-slices.ts';
import { PagedDoubles } from '../codes/pages.ts';
import type { RowKey } from '../codes/row-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import { KeptRows } from '../frames/kept-rows.ts';
import { NO_NUMBERS, type Vector } from '../frames/vector.ts';
import { FallBackToRows, type Runtime } from '../runtime.ts';
import { boundOf } from './sort-bound.ts';

/** No column has infinities; a query with the lowest double falls back to rows. */
const NULL_KEY = Number.NEGATIVE_INFINITY;
const MISSING_KEY = -Number.MAX_VALUE;

type KeyKind = 'number' | 'string' | 'boolean';

interface VectorSortKey extends RowKey {
  readonly sign: 1 | -1;
  readonly mayFail: boolean;
  /** The type of the first value; all others must have it. */
  kind: KeyKind | undefined;
  keys: PagedDoubles;
  /** All keys in one array while they are sorted, because pages take longer to compare. */
  sorted: Float64Array;
}

/** Up to this many needed rows, the surplus is dropped after each frame. */
const FEW_ROWS = 512;

export class Sorter {
  readonly #runtime: Runtime;
  readonly #keys: readonly VectorSortKey[];
  readonly #limit: number;
  readonly rows: KeptRows;
  /** First key of the last needed row, once there are enough; rows after it are dropped. */
  #bound: number | undefined;
  /** Whether the other keys have a common order, so that those of dropped rows are not read. */
  readonly #othersAreAlike: boolean;
  /** The sort is stable, so a row that is equal to the last needed one is not needed. */
  #dropsEqual = false;
  /** Buffer for the rows of one frame that are not after the bound. */
  #preselected = new Uint32Array(0);

  constructor(runtime: Runtime, { limit, orderBy }: Pick<SortNode, 'limit' | 'orderBy'>) {
    this.#runtime = runtime;
    this.#limit = limit;
    this.#keys = orderBy.map(({ direction, expression, mayFail }) => ({
      ...runtime.rowKey(expression),
      sign: direction === 'asc' ? 1 : -1,
      mayFail,
      kind: undefined,
      keys: new PagedDoubles(),
      sorted: NO_NUMBERS,
    }));
    this.#othersAreAlike = orderBy.slice(1).every(({ hasOneOrder }) => hasOneOrder);
    this.rows = new KeptRows(runtime.shape.select.iterators.length, runtime.columns);
  }

  /**
   * Finds a bound before the first row is added. Only for a sort of all visible rows of one table:
   * enough of those are not after the bound.
   */
  expectAll(table: SourceTable): void {
    const [first] = this.#keys;
    if (first?.column === undefined) return;
    this.#bound = boundOf(table, first.column, { limit: this.#limit, sign: first.sign });
    if (this.#bound !== undefined) requireKind(first, 'number');
  }

  add(frame: Frame, rows: Uint32Array): void {
    const [first, ...others] = this.#keys;
    if (first === undefined || rows.length === 0) return;
    const vector = vectorOf(first, frame);
    const candidates = this.#preselect(first, vector, rows);
    for (let index = 0; index < candidates.length; index += 1) {
      const row = candidates[index] ?? 0;
      const key = this.#readKey(first, vector, frame, row);
      if (!this.#isAfterBound(first, key)) this.#keep(frame, row, key);
      else if (!this.#othersAreAlike) {
        // A row that fails, or is not comparable with the others, counts even if it is dropped.
        for (const other of others) this.#readKey(other, vectorOf(other, frame), frame, row);
      }
    }
  }

  /** If all keys are numbers, one comparison drops most rows of a long sort. */
  #preselect(key: VectorSortKey, vector: Vector | undefined, rows: Uint32Array): Uint32Array {
    const bound = this.#bound;
    if (bound === undefined || vector === undefined) return rows;
    const droppable = this.#droppableTags(key, bound);
    if ((vector.mask & ~droppable) !== 0) return rows;
    if (this.#preselected.length < rows.length) this.#preselected = new Uint32Array(rows.length);
    const { sign } = key;
    const count = pickUpTo({ bound, sign }, vector.numbers, rows, this.#preselected);
    return this.#preselected.subarray(0, count);
  }

  /** Tags of rows that can be dropped by their numbers alone. */
  #droppableTags(key: VectorSortKey, bound: number): number {
    if (key.kind !== 'number' || !this.#othersAreAlike) return 0;
    // In descending order, rows without a value are after every number.
    const areAbsentLast = key.sign < 0 && bound > MISSING_KEY;
    return areAbsentLast ? NUMBER_TAGS | ABSENT_TAGS : NUMBER_TAGS;
  }

  /** Whether no row of the frame is needed, decided by the minimum and maximum of its chunk. */
  skips(frame: Frame): boolean {
    const [first] = this.#keys;
    if (first === undefined || this.#bound === undefined || first.columnNumber < 0) return false;
    const { mask, lowest, highest } = frame.vector(first.columnNumber);
    const isDroppable = (mask & ~this.#droppableTags(first, this.#bound)) === 0;
    return isDroppable && this.#isAfterBound(first, first.sign > 0 ? lowest : highest);
  }

  /** Whether a row with this first key is after the bound. */
  #isAfterBound(first: VectorSortKey, key: number): boolean {
    if (this.#bound === undefined) return false;
    const order = this.#compare(first, key, this.#bound) * first.sign;
    return order > 0 || (order === 0 && this.#dropsEqual);
  }

  #keep(frame: Frame, row: number, firstKey: number): void {
    const at = this.rows.size;
    this.#keys.forEach((key, index) => {
      const isFirst = index === 0;
      key.keys.set(at, isFirst ? firstKey : this.#readKey(key, vectorOf(key, frame), frame, row));
    });
    this.rows.add(frame, row);
    this.#runtime.budget.keep(1, this.#runtime.location);
  }

  /** Computes keys that may fail, for rows that DISTINCT may drop: a failure counts. */
  tryKeys(frame: Frame, rows: Uint32Array): void {
    for (const { read, mayFail } of this.#keys) {
      if (mayFail) for (const row of rows) read(frame, row);
    }
  }

  /** Whether keys have to be computed row by row. */
  get isComputed(): boolean {
    return this.#keys.some(({ columnNumber }) => columnNumber < 0);
  }

  /** Checked between frames: the closer the bound, the more chunks are skipped. */
  get isCutDue(): boolean {
    return this.rows.size > (this.#limit <= FEW_ROWS ? this.#limit : 2 * this.#limit);
  }

  /** The numbers of the kept rows, in order. */
  *sort(): Generator<void, Uint32Array> {
    for (const key of this.#keys) key.sorted = yield* key.keys.join(this.rows.size);
    return yield* mergeSort(this.rows.size, this.#order, QUERY_STEPS);
  }

  #readKey(key: VectorSortKey, vector: Vector | undefined, frame: Frame, row: number): number {
    if (vector === undefined) return this.#keyOf(key, key.read(frame, row));
    const tag = vector.tags[row] ?? 0;
    if (isNumberTag(tag)) {
      if (key.kind !== 'number') requireKind(key, 'number');
      const value = vector.numbers[row] ?? 0;
      if (value === MISSING_KEY) throw new FallBackToRows('a number is too low to be sorted fast');
      return value;
    }
    if (tag === STRING) {
      if (key.kind !== 'string') requireKind(key, 'string');
      return vector.ids[row] ?? 0;
    }
    if (tag > FALSE) throw new FallBackToRows('ORDER BY meets other values');
    return this.#keyOf(key, key.read(frame, row));
  }

  /** Computed keys can be sorted fast when they are plain numbers. */
  #keyOf(key: VectorSortKey, value: Value): number {
    if (value === null) return NULL_KEY;
    if (value === UNDEFINED) return MISSING_KEY;
    if (typeof value === 'boolean') {
      requireKind(key, 'boolean');
      return Number(value);
    }
    const number = plainNumber(value);
    if (number === undefined || !Number.isFinite(number)) {
      throw new FallBackToRows('ORDER BY meets other values');
    }
    requireKind(key, 'number');
    return number;
  }

  #compare(key: VectorSortKey, left: number, right: number): number {
    if (left === right) return 0;
    if (key.kind !== 'string' || left < 0 || right < 0) return left < right ? -1 : 1;
    const strings = key.column?.strings;
    return strings === undefined ? left - right : compareIds(strings, left, strings, right);
  }

  /** Drops the rows that are not needed, and sets the bound. */
  *cut(): Generator<void> {
    const order = (yield* this.sort()).slice(0, this.#limit);
    for (const key of this.#keys) key.keys = key.keys.pick(order);
    this.#runtime.budget.release(this.rows.size - order.length);
    this.rows.reduceTo(order);
    this.#bound = this.rows.size === 0 ? undefined : this.#keys[0]?.keys.at(this.rows.size - 1);
    this.#dropsEqual = this.#keys.length === 1;
  }

  /** The order of two kept rows by their numbers; 0 if they are equal. */
  readonly #order = (left: number, right: number): number => {
    for (const key of this.#keys) {
      const order = this.#compare(key, key.sorted[left] ?? 0, key.sorted[right] ?? 0);
      if (order !== 0) return order * key.sign;
    }
    return 0;
  };
}

/** Undefined for a key that is computed. */
function vectorOf({ columnNumber }: RowKey, frame: Frame): Vector | undefined {
  return columnNumber >= 0 ? frame.vector(columnNumber) : undefined;
}

/** Picks the rows that are not after the bound; nearly all are after it. */
function pickUpTo(
  { bound, sign }: { readonly bound: number; readonly sign: number },
  numbers: Float64Array,
  rows: Uint32Array,
  picked: Uint32Array,
): number {
  const limit = bound * sign;
  let count = 0;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    if ((numbers[row] ?? 0) * sign <= limit) {
      picked[count] = row;
      count += 1;
    }
  }
  return count;
}

function requireKind(key: VectorSortKey, kind: KeyKind): void {
  key.kind ??= kind;
  if (key.kind !== kind) throw new FallBackToRows('ORDER BY meets unlike values');
}
