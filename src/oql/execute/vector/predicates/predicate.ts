// Conditions over whole frames: each writes one state per row. The tags of the frame choose the
// loop, so that the common case (only numbers, only strings) is a single comparison.

import type { Dictionary } from '../../../../value/column-data.ts';
import {
  ARRAY,
  NUMBER_TAGS,
  OBJECT,
  OTHER_NUMBER,
  RESERVED_IDS,
  STRING,
  TAG_COUNT,
} from '../../../../value/row-tags.ts';
import { Document, UNDEFINED, type Value } from '../../../../value/value.ts';
import type { Frame } from '../frames/frame.ts';
import type { Vector } from '../frames/vector.ts';
import { markId, markResults, NOT_TESTED } from './loops.ts';
import {
  ANY_STATE,
  combineDecided,
  combineStates,
  DECIDED,
  isDecided,
  NO,
  negateStates,
  type StateSet,
  UNFINISHED,
  UNSURE_STATE,
  YES,
} from './states.ts';

/**
 * Writes the state of rows [0, frame.size) to `states`, and returns which states may occur; or does
 * a part of the work and returns UNFINISHED.
 */
export type Predicate = (frame: Frame, states: Uint8Array) => StateSet;

/** The values that a condition reads. */
export type ReadVector = (frame: Frame) => Vector;

/** One value of each tag, in the order of the tags in `row-tags.ts`. */
export const SAMPLES: readonly Value[] = [
  UNDEFINED,
  null,
  true,
  false,
  1,
  1,
  1,
  's',
  new Document(new Map()),
  [],
  2n ** 64n,
];

/** States by tag, for conditions that have the same outcome for all values of a tag. */
export function tagTable(stateOf: (sample: Value) => number): Uint8Array {
  const table = new Uint8Array(TAG_COUNT).fill(UNSURE_STATE);
  table.set(SAMPLES.map(stateOf));
  return table;
}

/** Every row has the same state. */
export function always(state: number): Predicate {
  return (frame, states) => {
    states.fill(state, 0, frame.size);
    return 1 << state;
  };
}

/** The tag alone decides. */
export function byTag(operand: ReadVector, table: Uint8Array): Predicate {
  return (frame, states) => setByTag(operand(frame), frame.size, states, table);
}

export interface NumberTest {
  /** Writes YES or NO for each. */
  readonly loop: (numbers: Float64Array, size: number, states: Uint8Array) => void;
  /** YES or NO if it is the same for all numbers between two, in either order. */
  readonly decideRange: (lowest: number, highest: number) => number | undefined;
}

/**
 * Tests numbers by their values, and other values by their tags. If the bounds of the numbers
 * decide, as for most chunks of a member that grows with the keys, no number is read.
 */
export function byNumber(operand: ReadVector, test: NumberTest, table: Uint8Array): Predicate {
  return (frame, states) => {
    const vector = operand(frame);
    const { numbers, mask, lowest, highest } = vector;
    const { size } = frame;
    if ((mask & NUMBER_TAGS) === 0 || numbers.length === 0) {
      return setByTag(vector, size, states, table);
    }
    const state = test.decideRange(lowest, highest);
    if (state === undefined) test.loop(numbers, size, states);
    else states.fill(state, 0, size);
    const outcomes = state === undefined ? DECIDED : 1 << state;
    return outcomes | setByTag(vector, size, states, table, NUMBER_TAGS);
  };
}

/** The states that the tags of a mask lead to. */
function statesOf(table: Uint8Array, mask: number): StateSet {
  let states = 0;
  for (let tag = 0; tag < TAG_COUNT; tag += 1) {
    if ((mask & (1 << tag)) !== 0) states |= 1 << (table[tag] ?? NO);
  }
  return states;
}

/** Sets the rows whose tags are not `tested` otherwise; returns the states that they lead to. */
function setByTag(
  { tags, mask }: Vector,
  size: number,
  states: Uint8Array,
  table: Uint8Array,
  tested = 0,
): StateSet {
  const others = mask & ~tested;
  if (others === 0) return 0;
  for (let row = 0; row < size; row += 1) {
    const tag = tags[row] ?? 0;
    if (((tested >>> tag) & 1) === 0) states[row] = table[tag] ?? NO;
  }
  return statesOf(table, others);
}

/** The outcome for one string, given as its bytes in the dictionary. */
export type StringTest = (dictionary: Dictionary, id: number) => number;

/** Strings of a column, with cached test results. */
export interface StringColumn {
  readonly read: ReadVector;
  readonly strings: Dictionary;
  readonly testResults: Map<string, Uint8Array>;
}

/** A column, or computed values, which have no strings. */
export type Operand = StringColumn | { readonly read: ReadVector; readonly strings: undefined };

/** Tests whose results a column caches; the least recently used is evicted. */
const MAX_TESTS = 8;

/**
 * Tests each distinct string once in the life of the column, and other values by their tags. `name`
 * identifies the test and the table.
 */
export function byString(
  { read, strings, testResults }: StringColumn,
  name: string,
  test: StringTest,
  table: Uint8Array,
  /** The fixed cost of a test, in bytes. */
  cost: number = BYTES_PER_TEST,
): Predicate {
  return (frame, states) => {
    const vector = read(frame);
    const { ids, mask } = vector;
    const { size } = frame;
    if (ids.length === 0) return setByTag(vector, size, states, table);
    const known = resultsFor(testResults, name, strings.size, table);
    const seen = markResults(ids, size, states, known);
    if (seen > UNSURE_STATE && !testNew({ ids, size, known, states, cost }, strings, test)) {
      return UNFINISHED;
    }
    // All composites and other numbers share one id, but may differ.
    setByTag(vector, size, states, table, ~MIXED_TAGS);
    return DECIDED | statesOf(table, mask & ~STRINGS);
  };
}

const STRINGS: number = 1 << STRING;

interface IdResults {
  readonly ids: Uint32Array;
  readonly size: number;
  readonly known: Uint8Array;
  readonly states: Uint8Array;
  readonly cost: number;
}

/** The budget of one step: this many bytes, each string counted with its fixed cost. */
const BYTES_PER_STEP = 1 << 15;
const BYTES_PER_TEST = 64;

/** Tests strings that were not tested yet; false if some are left for the next step. */
function testNew(
  { ids, size, known, states, cost }: IdResults,
  strings: Dictionary,
  test: StringTest,
): boolean {
  let budget = BYTES_PER_STEP;
  for (let row = 0; row < size; row += 1) {
    if (states[row] !== NOT_TESTED) continue;
    const id = ids[row] ?? 0;
    let result = known[id] ?? NOT_TESTED;
    if (result === NOT_TESTED) {
      if (budget < 0) return false;
      result = test(strings, id);
      known[id] = result;
      budget -= cost + (strings.ends[id] ?? 0) - strings.start(id);
    }
    states[row] = result;
  }
  return true;
}

/** Equality of ids. A string that the column lacks is in no row that the query sees. */
export function byStringId(
  { read, strings }: StringColumn,
  operator: '=' | '<>',
  text: string,
  table: Uint8Array,
): Predicate {
  const other = operator === '=' ? NO : YES;
  let id: number | undefined;
  return byId(read, table, (ids, size, states) => {
    id ??= strings.findText(text) ?? NO_ID;
    markId(ids, size, states, { id, other });
  });
}

/** Tests strings by their ids, and other values by their tags. */
export function byId(
  read: ReadVector,
  table: Uint8Array,
  mark: (ids: Uint32Array, size: number, states: Uint8Array) => unknown,
): Predicate {
  return (frame, states) => {
    const vector = read(frame);
    const { ids } = vector;
    const { size } = frame;
    if (ids.length === 0) return setByTag(vector, size, states, table);
    mark(ids, size, states);
    return DECIDED | setByTag(vector, size, states, table, STRINGS);
  };
}

/** No row has this id: missing rows, whose id it is, are decided by tag. */
const NO_ID = 0;

/** Ids are never reused, so outcomes stay valid when the dictionary grows. */
function resultsFor(
  testResults: Map<string, Uint8Array>,
  name: string,
  size: number,
  table: Uint8Array,
): Uint8Array {
  const known = testResults.get(name);
  if (known !== undefined && known.length >= size) return known;
  const grown = new Uint8Array(size + (size >> 2) + TAG_COUNT).fill(NOT_TESTED);
  if (known === undefined) setReserved(grown, table);
  else grown.set(known);
  testResults.delete(name);
  const [oldest] = testResults.keys();
  if (testResults.size >= MAX_TESTS && oldest !== undefined) testResults.delete(oldest);
  testResults.set(name, grown);
  return grown;
}

const MIXED_TAGS = (1 << OBJECT) | (1 << ARRAY) | (1 << OTHER_NUMBER);

function setReserved(results: Uint8Array, table: Uint8Array): void {
  for (let tag = 0; tag < TAG_COUNT; tag += 1) {
    if (tag !== STRING) results[RESERVED_IDS[tag] ?? 0] = table[tag] ?? NO;
  }
}

export function negation(operand: Predicate): Predicate {
  return (frame, states) => {
    const outcomes = operand(frame, states);
    if (outcomes === UNFINISHED) return UNFINISHED;
    negateStates(states, frame.size);
    return isDecided(outcomes) ? DECIDED : outcomes | DECIDED;
  };
}

/** AND or OR: `deciding` is the state that decides the result, whatever the others are. */
export function junction(operands: readonly Predicate[], deciding: number): Predicate {
  const [first, ...others] = operands;
  const isFinal = (outcomes: StateSet): boolean =>
    outcomes === 1 << deciding || outcomes === UNFINISHED;
  let scratch = new Uint8Array(0);
  return (frame, states) => {
    const { size } = frame;
    let outcomes = first?.(frame, states) ?? ANY_STATE;
    for (const operand of others) {
      // If all rows are decided, the other operands are skipped, even those that fail.
      if (isFinal(outcomes)) return outcomes;
      if (scratch.length < size) scratch = new Uint8Array(size);
      const own = operand(frame, scratch);
      if (isFinal(own)) {
        states.fill(deciding, 0, size);
        return own;
      }
      outcomes |= own;
      const combine = isDecided(outcomes) ? combineDecided : combineStates;
      combine(states, scratch, size, deciding);
    }
    return outcomes;
  };
}
