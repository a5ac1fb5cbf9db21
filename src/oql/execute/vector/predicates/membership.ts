// IN over a collection that is the same for all rows. Its elements become a set of numbers, and a
// mark on each string of the column, in steps: the collection may be the result of a large
// subquery.

import { plainNumber } from '../../../../value/number.ts';
import { ARRAY, FIRST_STRING_ID, OBJECT } from '../../../../value/row-tags.ts';
import type { List, Value } from '../../../../value/value.ts';
import { NumberCodes, UNSEEN } from '../codes/number-codes.ts';
import { markResults } from './loops.ts';
import {
  always,
  byId,
  byNumber,
  junction,
  type NumberTest,
  type Predicate,
  SAMPLES,
  type StringColumn,
  tagTable,
} from './predicate.ts';
import { NO, UNFINISHED, UNSURE_STATE, YES } from './states.ts';

const ELEMENTS_PER_STEP = 512;

export function isMember(column: StringColumn, elements: List): Predicate {
  const members = new Members(column);
  let next = 0;
  let condition: Predicate | undefined;
  return (frame, states) => {
    if (condition !== undefined) return condition(frame, states);
    const end = Math.min(next + ELEMENTS_PER_STEP, elements.length);
    for (; next < end; next += 1) members.add(elements[next] ?? null);
    if (next < elements.length) return UNFINISHED;
    condition = members.condition();
    return condition(frame, states);
  };
}

class Members implements NumberTest {
  readonly #column: StringColumn;
  /** Numbers, in a table that grows in small steps, and their bounds. */
  readonly #numbers = new NumberCodes();
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  /** By id. A string that the column does not hold yet is in no row that the query sees. */
  #strings: Uint8Array | undefined;
  /** For all other values. */
  readonly #table = tagTable((value) => (typeof value === 'bigint' ? UNSURE_STATE : NO));
  #hasBigIntegers = false;

  constructor(column: StringColumn) {
    this.#column = column;
  }

  add(element: Value): void {
    const number = plainNumber(element);
    if (number !== undefined) this.#addNumber(number);
    else if (typeof element === 'string') this.#addString(element);
    else if (typeof element === 'bigint') this.#hasBigIntegers = true;
    else if (typeof element === 'object' && element !== null) {
      // Sets and dates equal no stored value, but are too rare for a fast path.
      this.#table.fill(UNSURE_STATE, OBJECT, ARRAY + 1);
    } else this.#table[SAMPLES.indexOf(element)] = YES;
  }

  #addNumber(number: number): void {
    this.#numbers.encode(number);
    this.#min = Math.min(this.#min, number);
    this.#max = Math.max(this.#max, number);
  }

  #addString(text: string): void {
    // A lone surrogate has no UTF-8: a stored text is never equal to it.
    const { strings } = this.#column;
    const id = text.isWellFormed() ? strings.findText(text) : undefined;
    if (id === undefined) return;
    this.#strings ??= new Uint8Array(strings.size + FIRST_STRING_ID);
    // Strings that were added since then are in no row that the query sees either.
    if (id < this.#strings.length) this.#strings[id] = YES;
  }

  condition(): Predicate {
    // A big integer may equal a large double.
    if (this.#hasBigIntegers) return always(UNSURE_STATE);
    const { read } = this.#column;
    const inNumbers = byNumber(read, this, this.#table);
    const chosen = this.#strings;
    if (chosen === undefined) return inNumbers;
    const inStrings = byId(read, this.#table, (ids, size, states) =>
      markResults(ids, size, states, chosen),
    );
    return junction([inNumbers, inStrings], YES);
  }

  loop(numbers: Float64Array, size: number, states: Uint8Array): void {
    const codes = this.#numbers;
    for (let row = 0; row < size; row += 1) {
      states[row] = codes.find(numbers[row] ?? 0) === UNSEEN ? NO : YES;
    }
  }

  decideRange(lowest: number, highest: number): number | undefined {
    return this.#max < lowest || this.#min > highest ? NO : undefined;
  }
}
