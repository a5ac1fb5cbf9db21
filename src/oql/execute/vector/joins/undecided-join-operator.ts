// Hash join beside conditions that may fail. A failure counts for every pair that no condition
// refuses, so only pairs whose equality is false are left out: those with equal keys go on, and those
// whose equality is undecided because one key is missing. Pairs come as nested loops find them, so
// that a failure comes before or after the same rows.

import { MISSING, NULL } from '../../../../value/row-tags.ts';
import type { HashJoinNode } from '../../../plan/plan-node.ts';
import type { Frame } from '../frames/frame.ts';
import { firstRows } from '../frames/scan-frames.ts';
import { type Steps, withYieldPoints } from '../predicates/row-filter.ts';
import { AND_STATES, NO, UNKNOWN } from '../predicates/states.ts';
import { readFilteredRows } from './filtered-rows.ts';
import { JoinTable } from './hash-join.ts';
import { columnOf } from './hash-join-operator.ts';
import { type Partners, pairRows } from './pairs.ts';
import type { OperatorContext, RowOperator } from './row-operator.ts';

export function* undecidedJoinOperator(
  context: OperatorContext,
  { build, equality }: HashJoinNode,
): Steps<RowOperator> {
  const { runtime } = context;
  const innerSlot = runtime.slotOf(equality.inner);
  const outerSlot = runtime.slotOf(equality.outer);
  const table = new JoinTable(columnOf(runtime, innerSlot));
  const missing: number[] = [];
  const present: number[] = [];
  const onKept = (frame: Frame, first: number): void => {
    const keys = frame.vector(innerSlot);
    const rows = firstRows(frame.size);
    const places = rows.map((row) => first + row);
    table.add(keys, rows, { numbers: places, labels: undefined });
    for (const [row, place] of places.entries()) {
      const tag = keys.tags[row] ?? MISSING;
      if (tag === MISSING) missing.push(place);
      else if (tag !== NULL) present.push(place);
    }
  };
  const inner = yield* readFilteredRows(context, build, onKept);
  yield* withYieldPoints(table.finish());
  const find = yield* withYieldPoints(table.finder(columnOf(runtime, outerSlot)));
  const partners = new OpenPartners(inner, table, { missing, present });
  return (candidates) => {
    const { frame } = candidates;
    const keys = frame.vector(outerSlot);
    const { codes } = find(keys, frame.size);
    const partnersOf = (row: number): Partners =>
      partners.of(codes[row] ?? -1, keys.tags[row] ?? MISSING);
    return pairRows(candidates, partnersOf);
  };
}

/** Places of inner rows, ascending. */
interface KeyKinds {
  readonly missing: readonly number[];
  /** Neither missing nor null. */
  readonly present: readonly number[];
}

const NONE: readonly number[] = [];
const NO_ROWS = new Uint32Array(0);

/** The inner rows that a key does not rule out, in their order, with the state of the pair. */
class OpenPartners {
  readonly #inner: Partners;
  readonly #table: JoinTable;
  readonly #kinds: KeyKinds;
  readonly #known = new Map<number, Partners>();

  constructor(inner: Partners, table: JoinTable, kinds: KeyKinds) {
    this.#inner = inner;
    this.#table = table;
    this.#kinds = kinds;
  }

  /** `=` is undecided where one side is missing and the other is neither missing nor null. */
  of(code: number, tag: number): Partners {
    if (tag === MISSING) return this.#remember(-1, () => this.#merge(code, this.#kinds.present));
    const undecided = tag === NULL ? NONE : this.#kinds.missing;
    // Many keys, each with many undecided rows, are too much to remember.
    if (code >= 0 && undecided.length > 0) return this.#merge(code, undecided);
    return this.#remember(code >= 0 || tag === NULL ? code + 1 : -2, () =>
      this.#merge(code, undecided),
    );
  }

  #remember(key: number, find: () => Partners): Partners {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = find();
    this.#known.set(key, found);
    return found;
  }

  #merge(code: number, undecided: readonly number[]): Partners {
    const { starts, sorted } = this.#table;
    const equal = code < 0 ? NO_ROWS : sorted.subarray(starts[code] ?? 0, starts[code + 1] ?? 0);
    const size = equal.length + undecided.length;
    const rows = new Uint32Array(size);
    const states = new Uint8Array(size);
    for (let index = 0, at = 0; index < size; index += 1) {
      const next = equal[at] ?? Number.POSITIVE_INFINITY;
      const open = undecided[index - at] ?? Number.POSITIVE_INFINITY;
      const place = Math.min(next, open);
      const state = this.#inner.states?.[place] ?? NO;
      rows[index] = this.#inner.rows[place] ?? 0;
      states[index] = next < open ? state : (AND_STATES[(state << 2) | UNKNOWN] ?? NO);
      if (next < open) at += 1;
    }
    return { rows, states, start: 0, end: size };
  }
}
