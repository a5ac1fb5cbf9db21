// Conditions over whole frames: each writes one state per row. Loops are chosen by the tags that
// occur, so that the everyday case (numbers only, strings only) is a bare comparison.

import {
  ARRAY,
  type Dictionary,
  DOUBLE,
  FALSE,
  INTEGER,
  MISSING,
  NULL,
  OBJECT,
  ODD_NUMBER,
  SPELLED_DOUBLE,
  STRING,
  TAG_COUNT,
  TRUE,
} from './column-source.ts';
import { type Frame, RESERVED_IDS, type Vector } from './frame.ts';
import { AND_STATES, NO, NOT_STATES, OR_STATES, UNSURE_STATE } from './states.ts';

/** Writes the state of rows [0, frame.size) to `states`. */
export type Condition = (frame: Frame, states: Uint8Array) => void;

/** The values a condition looks at. */
export type Operand = (frame: Frame) => Vector;

const NUMBER_TAGS = (1 << INTEGER) | (1 << DOUBLE) | (1 << SPELLED_DOUBLE);

/** States by tag. Tags that are not named are unsure. */
export type StatesByTag = Partial<Record<TagName, number>>;
type TagName = 'missing' | 'null' | 'true' | 'false' | 'number' | 'string' | 'composite' | 'odd';

export function tableOf(states: StatesByTag): Uint8Array {
  const table = new Uint8Array(TAG_COUNT).fill(UNSURE_STATE);
  const set = (state: number | undefined, ...tags: readonly number[]): void => {
    if (state !== undefined) for (const tag of tags) table[tag] = state;
  };
  set(states.missing, MISSING);
  set(states.null, NULL);
  set(states.true, TRUE);
  set(states.false, FALSE);
  set(states.number, INTEGER, DOUBLE, SPELLED_DOUBLE);
  set(states.string, STRING);
  set(states.composite, OBJECT, ARRAY);
  set(states.odd, ODD_NUMBER);
  return table;
}

/** Every row has the same state. */
export function always(state: number): Condition {
  return (frame, states) => {
    states.fill(state, 0, frame.size);
  };
}

/** The tag alone decides. */
export function byTag(operand: Operand, table: Uint8Array): Condition {
  return (frame, states) => {
    const { tags } = operand(frame);
    for (let row = 0; row < frame.size; row += 1) states[row] = table[tags[row] ?? 0] ?? NO;
  };
}

/** A loop over numbers: writes YES or NO for each. */
export type NumberLoop = (numbers: Float64Array, size: number, states: Uint8Array) => void;

/** A number decides by its value, everything else by its tag. */
export function byNumber(operand: Operand, loop: NumberLoop, table: Uint8Array): Condition {
  return (frame, states) => {
    const { tags, numbers, mask } = operand(frame);
    const { size } = frame;
    if ((mask & NUMBER_TAGS) === 0 || numbers.length === 0) {
      setByTag(tags, size, states, table);
      return;
    }
    loop(numbers, size, states);
    if ((mask & ~NUMBER_TAGS) !== 0) setWhereNoNumber(tags, numbers, size, states, table);
  };
}

function setByTag(tags: Uint8Array, size: number, states: Uint8Array, table: Uint8Array): void {
  for (let row = 0; row < size; row += 1) states[row] = table[tags[row] ?? 0] ?? NO;
}

/** NaN stands for whatever is no number. */
function setWhereNoNumber(
  tags: Uint8Array,
  numbers: Float64Array,
  size: number,
  states: Uint8Array,
  table: Uint8Array,
): void {
  for (let row = 0; row < size; row += 1) {
    if (Number.isNaN(numbers[row])) states[row] = table[tags[row] ?? 0] ?? NO;
  }
}

/** The answer for one string, given as its bytes in the dictionary. */
export type StringTest = (dictionary: Dictionary, id: number) => number;

const NOT_TESTED = 255;

/** Strings of a column, and what is already known about them. */
export interface StringColumn {
  readonly read: Operand;
  readonly strings: Dictionary;
  readonly answers: Map<string, Uint8Array>;
}

/** Tests whose answers a column keeps; the one asked longest ago gives way. */
const MOST_TESTS = 8;

/**
 * A string decides by a test that is made once per different string, in the life of the column;
 * everything else decides by its tag. `name` stands for the test and the table.
 */
export function byString(
  { read, strings, answers }: StringColumn,
  name: string,
  test: StringTest,
  table: Uint8Array,
): Condition {
  return (frame, states) => {
    const { tags, ids, mask } = read(frame);
    const { size } = frame;
    if (ids.length === 0) {
      setByTag(tags, size, states, table);
      return;
    }
    const known = answersFor(answers, name, strings.size, table);
    for (let row = 0; row < size; row += 1) {
      const id = ids[row] ?? 0;
      let answer = known[id] ?? NOT_TESTED;
      if (answer === NOT_TESTED) {
        answer = test(strings, id);
        known[id] = answer;
      }
      states[row] = answer;
    }
    // One id stands for all composites and odd numbers, which may differ.
    if ((mask & MIXED_TAGS) !== 0) overrule(tags, size, states, table);
  };
}

/** Ids are never given anew, so answers stay right as the dictionary grows. */
function answersFor(
  answers: Map<string, Uint8Array>,
  name: string,
  size: number,
  table: Uint8Array,
): Uint8Array {
  const known = answers.get(name);
  if (known !== undefined && known.length >= size) return known;
  const grown = new Uint8Array(size + (size >> 2) + TAG_COUNT).fill(NOT_TESTED);
  if (known === undefined) setReserved(grown, table);
  else grown.set(known);
  answers.delete(name);
  const [oldest] = answers.keys();
  if (answers.size >= MOST_TESTS && oldest !== undefined) answers.delete(oldest);
  answers.set(name, grown);
  return grown;
}

const MIXED_TAGS = (1 << OBJECT) | (1 << ARRAY) | (1 << ODD_NUMBER);

function setReserved(answers: Uint8Array, table: Uint8Array): void {
  for (let tag = 0; tag < TAG_COUNT; tag += 1) {
    if (tag !== STRING) answers[RESERVED_IDS[tag] ?? 0] = table[tag] ?? NO;
  }
}

function overrule(tags: Uint8Array, size: number, states: Uint8Array, table: Uint8Array): void {
  for (let row = 0; row < size; row += 1) {
    const tag = tags[row] ?? 0;
    if (tag > STRING) states[row] = table[tag] ?? NO;
  }
}

export function negation(operand: Condition): Condition {
  return (frame, states) => {
    operand(frame, states);
    for (let row = 0; row < frame.size; row += 1) states[row] = NOT_STATES[states[row] ?? 0] ?? NO;
  };
}

export function conjunction(operands: readonly Condition[]): Condition {
  return junction(operands, AND_STATES);
}

export function disjunction(operands: readonly Condition[]): Condition {
  return junction(operands, OR_STATES);
}

function junction(operands: readonly Condition[], table: Uint8Array): Condition {
  const [first, ...others] = operands;
  let scratch = new Uint8Array(0);
  return (frame, states) => {
    const { size } = frame;
    first?.(frame, states);
    for (const operand of others) {
      if (scratch.length < size) scratch = new Uint8Array(size);
      operand(frame, scratch);
      const right = scratch;
      for (let row = 0; row < size; row += 1) {
        states[row] = table[((states[row] ?? 0) << 2) | (right[row] ?? 0)] ?? NO;
      }
    }
  };
}
