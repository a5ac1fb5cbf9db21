// Joins a region by a table of its rows, built once: hash join on an equality with earlier iterators.
// Keys are columns, or computed once for each row.

import type { Value } from '../../../../value/value.ts';
import type { BoundExpression } from '../../../bind/bound-query.ts';
import type { SourceColumn } from '../../../columnar/column-source.ts';
import { joinConditions, joinsColumns } from '../../../columnar/conjuncts.ts';
import type { HashJoinNode } from '../../../plan/plan-node.ts';
import { UNSEEN } from '../codes/number-codes.ts';
import { Frame, gather, nowhere } from '../frames/frame.ts';
import { readAccess } from '../frames/read-access.ts';
import { firstRows, type ScannedFrame } from '../frames/scan-frames.ts';
import { timeSteps } from '../meter.ts';
import {
  type Candidates,
  hide,
  type Matches,
  noMatches,
  type YieldPoints,
} from '../predicates/row-filter.ts';
import { NO, UNSURE_STATE, YES } from '../predicates/states.ts';
import type { Runtime } from '../runtime.ts';
import { JoinTable } from './hash-join.ts';
import { pairRows, pairUnique } from './pairs.ts';
import type { OperatorContext, RowOperator } from './row-operator.ts';

export function* hashJoinOperator(
  context: OperatorContext,
  node: HashJoinNode,
): Generator<Matches, RowOperator> {
  const table = yield* buildJoinTable(context, node);
  const find = yield* openFinder(context, node, table);
  const resolve = createResolver(context, node.earlier);
  const { starts, sorted: rows } = table;
  return function* joinRows(candidates): Generator<Candidates> {
    const { frame } = candidates;
    const states = yield* resolve(candidates);
    const codes = yield* find(frame, states);
    if (table.isUnique && states === undefined) {
      yield { frame: pairUnique(frame, codes, rows), states };
      return;
    }
    yield* pairRows({ frame, states }, (row) => {
      const code = codes[row] ?? UNSEEN;
      if (code === UNSEEN) return undefined;
      return { rows, states: undefined, start: starts[code] ?? 0, end: starts[code + 1] ?? 0 };
    });
  };
}

/** The codes of the keys of a frame; -1 for a key that no build row has. */
type FindCodes = (
  frame: Frame,
  states: Uint8Array | undefined,
) => Generator<Candidates, Int32Array>;

function* openFinder(
  { runtime, yieldPoints }: OperatorContext,
  { equality }: HashJoinNode,
  table: JoinTable,
): Generator<Matches, FindCodes> {
  if (!joinsColumns(equality)) {
    const compute = runtime.compute(equality.outer);
    return function* findComputed(frame, states): Generator<Candidates, Int32Array> {
      const codes = new Int32Array(frame.size).fill(UNSEEN);
      for (let row = 0; row < frame.size; row += 1) {
        if (states !== undefined && states[row] !== YES) continue;
        codes[row] = table.findValue(compute(frame, row));
        if (yieldPoints.isReached()) yield NO_CANDIDATES;
      }
      return codes;
    };
  }
  const slot = runtime.slotOf(equality.outer);
  const find = yield* withYieldPoints(table.finder(columnOf(runtime, slot)));
  // biome-ignore lint/correctness/useYield: only what is computed takes long enough
  return function* findInColumn(frame): Generator<Candidates, Int32Array> {
    return find(frame.vector(slot), frame.size).codes;
  };
}

export function columnOf(runtime: Runtime, slot: number): SourceColumn {
  const column = runtime.slots[slot]?.column;
  if (column === undefined) throw new Error('a join key has no column');
  return column;
}

/**
 * Before a join every earlier condition must be decided: it then holds for all pairs of a row.
 * A row that fails may still be outvoted by the join, which only the reference can tell.
 */
export function createResolver(
  { runtime, yieldPoints }: OperatorContext,
  conditions: readonly BoundExpression[],
): (candidates: Candidates) => Generator<Candidates, Uint8Array | undefined> {
  const earlier = joinConditions(conditions);
  const decide = earlier && runtime.decide(earlier);
  return function* resolve({ frame, states }): Generator<Candidates, Uint8Array | undefined> {
    if (states === undefined) return undefined;
    const decided = states.slice();
    for (let row = 0; row < decided.length; row += 1) {
      const isUnsure = states[row] === UNSURE_STATE;
      const isKept = isUnsure ? decide?.(frame, row) === true : states[row] === YES;
      decided[row] = isKept ? YES : NO;
      if (isUnsure && yieldPoints.isReached()) yield NO_CANDIDATES;
    }
    return decided;
  };
}

const NO_FRAME = new Frame(0, [], []);
/** A yield point. */
const NO_CANDIDATES: Candidates = { frame: NO_FRAME, states: undefined };

/** Gives rows of the build side the labels that the table keeps for them. */
type LabelRows = (frame: Frame, rows: Uint32Array) => Uint32Array;

export function* buildJoinTable(
  { runtime, rowFilter, meter, yieldPoints, compile }: OperatorContext,
  { build, equality, stage }: HashJoinNode,
  label?: LabelRows,
): Generator<Matches, JoinTable> {
  const keySlot = runtime.slotOf(equality.inner);
  const compute = joinsColumns(equality) ? undefined : runtime.compute(equality.inner);
  const condition = compile(build.conditions);
  const all = joinConditions(build.conditions);
  const decide = all && runtime.decide(all);
  const table = new JoinTable(compute === undefined ? columnOf(runtime, keySlot) : undefined);
  const scan = { table: runtime.tableOf(stage), slots: runtime.slots, before: nowhere(stage) };
  const frames = readAccess(scan, build.input.access);
  function* keepRows({ frame, visible }: ScannedFrame): Generator<Matches, Uint32Array> {
    if (condition === undefined && visible === undefined) return firstRows(frame.size);
    const states = yield* rowFilter.statesInSteps(frame, condition);
    if (visible !== undefined) hide(states, visible, frame.size);
    return yield* keepSure(frame, states, decide, yieldPoints);
  }
  function* add(scanned: ScannedFrame): Generator<Matches> {
    const { frame } = scanned;
    const rows = yield* keepRows(scanned);
    runtime.budget.keep(rows.length, runtime.place);
    const numbered = frame.rowNumbers(stage);
    // Kept rows ascend, so as many as there are are all of them.
    const numbers = rows.length === numbered.length ? numbered : gather(numbered, rows);
    const kept = { numbers, labels: label?.(frame, rows) };
    if (compute === undefined) table.add(frame.vector(keySlot), rows, kept);
    else {
      const keys: Value[] = [];
      for (const row of rows) {
        keys.push(compute(frame, row));
        if (yieldPoints.isReached()) yield noMatches(frame);
      }
      table.addValues(keys, kept);
    }
    meter?.addRows(build, rows.length);
    yield noMatches(frame);
  }
  for (const each of meter?.watch(build.input, frames, ({ frame }) => frame.size) ?? frames) {
    yield* timeSteps(meter, build, add(each));
  }
  yield* withYieldPoints(table.finish());
  return table;
}

/** Steps, each followed by a yield point. */
export function* withYieldPoints<Result>(
  steps: Generator<void, Result>,
): Generator<Matches, Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield noMatches(NO_FRAME);
  }
}

function* keepSure(
  frame: Frame,
  states: Uint8Array,
  decide: ((frame: Frame, row: number) => boolean | undefined) | undefined,
  yieldPoints: YieldPoints,
): Generator<Matches, Uint32Array> {
  const rows = new Uint32Array(frame.size);
  let count = 0;
  for (let row = 0; row < frame.size; row += 1) {
    const state = states[row];
    rows[count] = row;
    if (state === YES) count += 1;
    if (state !== UNSURE_STATE) continue;
    if (decide?.(frame, row) === true) count += 1;
    if (yieldPoints.isReached()) yield noMatches(frame);
  }
  return rows.subarray(0, count);
}
