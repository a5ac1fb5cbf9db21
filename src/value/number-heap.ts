// A binary heap of numbers: the children of the number at `i` are at `2i + 1` and `2i + 2`. Numbers
// are stored in arrays of doubles: for a million objects, the collector would stop everything for
// dozens of milliseconds.

import { detachBuffer } from './detach-buffer.ts';
import { compareNumbers, toDouble } from './number.ts';
import { Double, type Numeric } from './value.ts';

/** The kinds of numbers that a double stores exactly. Others are kept as they are. */
const INTEGER = 0;
const DOUBLE = 1;
const FIRST_OTHER = 2;

const FIRST_LENGTH = 8;
/** There may be a heap for each of many groups. */
const NO_DOUBLES = new Float64Array(0);
const NO_KINDS = new Uint32Array(0);

export class NumberHeap {
  size = 0;
  /** The nearest doubles. */
  #doubles = NO_DOUBLES;
  /** The kind of each number, or from `FIRST_OTHER` on its position among the others. */
  #kinds = NO_KINDS;
  readonly #others: Numeric[];
  readonly #sign: 1 | -1;

  /** The least number is on top for sign 1, the greatest for -1. Heaps that exchange numbers share `others`. */
  constructor(sign: 1 | -1, others: Numeric[]) {
    this.#sign = sign;
    this.#others = others;
  }

  get top(): Numeric | undefined {
    return this.size === 0 ? undefined : this.#numeric(this.#double(0), this.#kind(0));
  }

  push(number: Numeric): void {
    const kind = kindOf(number) ?? this.#others.push(number) - 1 + FIRST_OTHER;
    this.#insert(toDouble(number), kind);
  }

  /** Whether a number comes before the top; false without one. */
  isBeforeTop(number: Numeric): boolean {
    if (this.size === 0) return false;
    const [double, top] = [toDouble(number), this.#double(0)];
    if (double < top) return this.#sign > 0;
    if (double > top) return this.#sign < 0;
    return compareNumbers(number, this.#numeric(top, this.#kind(0))) * this.#sign < 0;
  }

  /** Moves the top to another heap; there must be one. */
  moveTop(other: NumberHeap): void {
    other.#insert(this.#double(0), this.#kind(0));
    this.size -= 1;
    this.#sink(this.#double(this.size), this.#kind(this.size));
  }

  #insert(double: number, kind: number): void {
    let at = this.size;
    this.size += 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(double, kind, parent) >= 0) break;
      this.#copy(parent, at);
      at = parent;
    }
    this.#set(at, double, kind);
  }

  /** Puts a number in the place of the top, and then as far down as it belongs. */
  #sink(double: number, kind: number): void {
    let at = 0;
    for (let child = 1; child < this.size; child = 2 * at + 1) {
      const right = child + 1;
      if (right < this.size && this.#compareAt(right, child) < 0) child = right;
      if (this.#compare(double, kind, child) <= 0) break;
      this.#copy(child, at);
      at = child;
    }
    this.#set(at, double, kind);
  }

  #copy(from: number, to: number): void {
    this.#set(to, this.#double(from), this.#kind(from));
  }

  #compareAt(left: number, right: number): number {
    return this.#compare(this.#double(left), this.#kind(left), right);
  }

  /** Negative if a number comes before the one at a position. */
  #compare(double: number, kind: number, at: number): number {
    const other = this.#double(at);
    if (double < other) return -this.#sign;
    if (double > other) return this.#sign;
    const otherKind = this.#kind(at);
    if (kind < FIRST_OTHER && otherKind < FIRST_OTHER) return 0;
    const [left, right] = [this.#numeric(double, kind), this.#numeric(other, otherKind)];
    return compareNumbers(left, right) * this.#sign;
  }

  #double(at: number): number {
    return this.#doubles[at] ?? 0;
  }

  #kind(at: number): number {
    return this.#kinds[at] ?? 0;
  }

  #set(at: number, double: number, kind: number): void {
    if (at >= this.#doubles.length) this.#grow();
    this.#doubles[at] = double;
    this.#kinds[at] = kind;
  }

  #grow(): void {
    const [doubles, kinds] = [this.#doubles, this.#kinds];
    const length = Math.max(FIRST_LENGTH, doubles.length * 2);
    this.#doubles = new Float64Array(length);
    this.#doubles.set(doubles);
    this.#kinds = new Uint32Array(length);
    this.#kinds.set(kinds);
    detachBuffer(doubles);
    detachBuffer(kinds);
  }

  #numeric(double: number, kind: number): Numeric {
    if (kind === INTEGER) return double;
    return this.#others[kind - FIRST_OTHER] ?? new Double(double);
  }
}

/** Undefined for a number that its double and its kind do not give back. */
function kindOf(number: Numeric): number | undefined {
  if (typeof number === 'number') return Object.is(number, -0) ? undefined : INTEGER;
  if (!(number instanceof Double) || number.text !== undefined) return undefined;
  return Number.isNaN(number.value) || Object.is(number.value, -0) ? undefined : DOUBLE;
}
