// Hash join with later conditions that may fail. A failure counts for every pair for which no
// condition is false. So the join keeps pairs with equal keys, and pairs whose equality is
// undecided because one key is missing. Pairs are in the order of nested loops, so that a failure
// is before or after the same rows.

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
    const positions = rows.map((row) => first + row);
    table.add(keys, rows, { numbers: positions, labels: undefined });
    for (const [row, position] of positions.entries()) {
      const tag = keys.tags[row] ?? MISSING;
      if (tag === MISSING) missing.push(position);
      else if (tag !== NULL) present.push(position);
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

/** Positions of inner rows, ascending. */
interface KeyKinds {
  readonly missing: readonly number[];
  /** Neither missing nor null. */
  readonly present: readonly number[];
}

const NONE: readonly number[] = [];
const NO_ROWS = new Uint32Array(0);

/**
 * The inner rows for which the equality is true or undecided, in their order, with their states.
 */
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
    // Many keys, each with many undecided rows, would take too much memory.
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
      const position = Math.min(next, open);
      const state = this.#inner.states?.[position] ?? NO;
      rows[index] = this.#inner.rows[position] ?? 0;
      states[index] = next < open ? state : (AND_STATES[(state << 2) | UNKNOWN] ?? NO);
      if (next < open) at += 1;
    }
    return { rows, states, start: 0, end: size };
  }
}
