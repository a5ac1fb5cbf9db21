// The hash table of an equi-join: rows by the code of their key, in key order of the region, so
// that matches are in the order of nested loops.

import type { SourceColumn } from '../../../../value/column-data.ts';
import { detachBuffer } from '../../../../value/detach-buffer.ts';
import { indexesBelow } from '../../../../value/merge-sort.ts';
import { KeyEncoder } from '../codes/key-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import type { Scratch } from '../scratch.ts';

/** Codes between two yield points; they take a few hundred microseconds. */
const STEP = 1 << 15;

/** Rows of one frame, with the codes of their keys. */
interface CodedRows {
  readonly codes: Uint32Array;
  readonly numbers: Uint32Array;
  /** Numbers that go with the rows; all additions have them or none. */
  readonly labels: Uint32Array | undefined;
}

/** Computes the labels that the table stores for rows of the build side, with their outcomes. */
export type LabelRows = (
  frame: Frame,
  rows: Uint32Array,
  states: Uint8Array | undefined,
) => Uint32Array;

const NONE = new Uint32Array(0);

export class JoinTable {
  readonly encoder: KeyEncoder;
  readonly #scratch: Scratch;
  /** One part per frame: a single array would be copied whenever it grows. */
  #parts: CodedRows[] = [];
  size = 0;
  /** Matches of code c are rows [starts[c], starts[c + 1]) of `sorted`. */
  starts: Uint32Array = new Uint32Array(1);
  sorted: Uint32Array = NONE;
  /** Labels of the rows of `sorted`, if they have any. */
  labels: Uint32Array = NONE;

  constructor(column: SourceColumn | undefined, scratch: Scratch) {
    this.encoder = new KeyEncoder(column, scratch);
    this.#scratch = scratch;
  }

  add(rows: CodedRows): void {
    this.#parts.push(rows);
    this.size += rows.codes.length;
  }

  get isUnique(): boolean {
    return this.size === this.encoder.size;
  }

  /** Sorts the rows by code (stable), in steps. */
  *finish(): Generator<void> {
    this.starts = yield* this.#findStarts();
    this.sorted = yield* this.#sort(({ numbers }) => numbers);
    if (this.#parts.some(({ labels }) => labels !== undefined)) {
      this.labels = yield* this.#sort(({ labels }) => labels ?? NONE);
    }
    for (const { codes, numbers, labels = NONE } of this.#parts) {
      for (const part of [codes, numbers, labels]) detachBuffer(part);
    }
    this.#parts = [];
  }

  *#findStarts(): Generator<void, Uint32Array> {
    // Each code has one row.
    if (this.isUnique) return this.#scratch.own(indexesBelow(this.size + 1));
    const starts = this.#scratch.own(new Uint32Array(this.encoder.size + 1));
    for (const { codes } of this.#parts) {
      countCodes(codes, starts);
      yield;
    }
    for (let from = 0; from < starts.length - 1; from += STEP) {
      addUp(starts, from, Math.min(from + STEP, starts.length - 1));
      yield;
    }
    return starts;
  }

  /** One number of each row, in the order of their codes. */
  *#sort(pick: (part: CodedRows) => Uint32Array): Generator<void, Uint32Array> {
    const sorted = this.#scratch.own(new Uint32Array(this.size));
    // Codes are assigned in the order of the rows: if each has one row, the rows are already
    // sorted.
    const next = this.isUnique ? undefined : this.starts.slice();
    let from = 0;
    for (const part of this.#parts) {
      if (next === undefined) sorted.set(pick(part), from);
      else moveByCode(pick(part), part.codes, next, sorted);
      from += part.codes.length;
      yield;
    }
    return sorted;
  }
}

/** `next` is the position of the next row of each code. */
function moveByCode(
  values: Uint32Array,
  codes: Uint32Array,
  next: Uint32Array,
  sorted: Uint32Array,
): void {
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    const at = next[code] ?? 0;
    sorted[at] = values[index] ?? 0;
    next[code] = at + 1;
  }
}

/** The number of each code goes one element after it. */
function countCodes(codes: Uint32Array, starts: Uint32Array): void {
  for (const code of codes) starts[code + 1] = (starts[code + 1] ?? 0) + 1;
}

function addUp(starts: Uint32Array, from: number, to: number): void {
  for (let code = from + 1; code <= to; code += 1) {
    starts[code] = (starts[code] ?? 0) + (starts[code - 1] ?? 0);
  }
}
