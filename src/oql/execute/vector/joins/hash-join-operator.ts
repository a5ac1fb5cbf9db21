// Hash join: builds a table of the rows of a region, and probes it with the rows of earlier
// iterators. Keys are columns, or computed once for each row.

import type { BoundExpression } from '../../../bind/bound-query.ts';
import { joinConditions } from '../../../columnar/conjuncts.ts';
import type { HashJoinNode, LeftJoinNode } from '../../../plan/plan-node.ts';
import { measured } from '../../meter.ts';
import type { FoundCodes } from '../codes/key-encoder.ts';
import { UNSEEN } from '../codes/number-codes.ts';
import type { RowKey } from '../codes/row-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import { firstRows } from '../frames/scan-frames.ts';
import {
  type Candidates,
  dropRows,
  type Steps,
  withYieldPoints,
  YIELD_POINT,
} from '../predicates/row-filter.ts';
import { DECIDED, NO, UNKNOWN, UNSURE_STATE, YES } from '../predicates/states.ts';
import type { Runtime } from '../runtime.ts';
import { JoinTable, type LabelRows } from './hash-join.ts';
import { type FindMatches, pairRows, pairUnique } from './pairs.ts';
import { type OperatorContext, type RowOperator, readRegion } from './row-operator.ts';
import { UnknownRows } from './unknown-rows.ts';

export function* hashJoinOperator(
  context: OperatorContext,
  node: HashJoinNode,
): Steps<RowOperator> {
  const unknownRows = node.keeps === 'unknown' ? new UnknownRows(context, node) : undefined;
  const table = yield* buildJoinTable(context, node, unknownRows?.label);
  const key = joinKey(context.runtime, node, 'outer');
  const find = yield* openFinder(context, table, key);
  const resolve = createResolver(context, node.earlier, key);
  return function* joinRows(candidates): Generator<Candidates> {
    const { frame } = candidates;
    if (unknownRows !== undefined) {
      const { codes } = yield* find(frame, undefined);
      yield* pairRows(candidates, unknownRows.matches(frame, codes, table));
      return;
    }
    const decided = yield* resolve(candidates);
    const { states } = decided;
    const found = yield* find(frame, states);
    if (table.isUnique && states === undefined) {
      yield { frame: pairUnique(frame, found, table.sorted), states };
      return;
    }
    yield* pairRows(decided, matchesByCode(found.codes, table));
  };
}

/** The matches of each row of a frame, given the codes of the keys. */
export function matchesByCode(codes: Int32Array, { starts, sorted: rows }: JoinTable): FindMatches {
  return (row) => {
    const code = codes[row] ?? UNSEEN;
    if (code === UNSEEN) return undefined;
    return { rows, states: undefined, start: starts[code] ?? 0, end: starts[code + 1] ?? 0 };
  };
}

function* openFinder(
  { pacer }: OperatorContext,
  { encoder }: JoinTable,
  key: RowKey,
): Steps<(frame: Frame, states: Uint8Array | undefined) => Steps<FoundCodes>> {
  const find = key.column && (yield* withYieldPoints(encoder.finder(key)));
  return function* findCodes(frame, states): Steps<FoundCodes> {
    if (find !== undefined) return find(frame);
    const codes = new Int32Array(frame.size).fill(UNSEEN);
    for (let row = 0; row < frame.size; row += 1) {
      if (states !== undefined && states[row] !== YES) continue;
      codes[row] = encoder.findValue(key.read(frame, row));
      if (pacer.isDue()) yield YIELD_POINT;
    }
    return { codes, areAll: false };
  };
}

/** The keys of one side. If those of the other side are computed, so are these. */
export function joinKey(
  runtime: Runtime,
  { equality }: HashJoinNode | LeftJoinNode,
  side: 'inner' | 'outer',
): RowKey {
  const key = runtime.rowKey(equality[side], 'where');
  return equality.keys === 'columns' ? key : { ...key, columnNumber: -1, column: undefined };
}

/**
 * Before a join every earlier condition must be decided, because its outcome holds for all pairs of
 * a row. If it fails for a row without a match, only the reference evaluator knows that it does not
 * count. A row for which a condition is unknown is dropped, but if its key fails, that counts: only
 * a condition that is false would hide it.
 */
export function createResolver(
  { runtime, pacer }: OperatorContext,
  conditions: readonly BoundExpression[],
  key?: RowKey,
): (candidates: Candidates) => Steps<Candidates> {
  const earlier = joinConditions(conditions);
  const decide = earlier && runtime.decide(earlier);
  const outcomeOf = (frame: Frame, row: number, state: number | undefined): number | undefined => {
    const outcome = state === UNSURE_STATE ? decide?.(frame, row) : state;
    if (outcome === UNKNOWN) key?.read(frame, row);
    return outcome;
  };
  return function* resolve(candidates): Steps<Candidates> {
    const { frame, states } = candidates;
    if (states === undefined) return candidates;
    const decided = states.slice(0, frame.size);
    for (let row = 0; row < decided.length; row += 1) {
      const state = states[row];
      decided[row] = outcomeOf(frame, row, state) === YES ? YES : NO;
      if (state === UNSURE_STATE && pacer.isDue()) yield YIELD_POINT;
    }
    return { frame, states: decided, outcomes: DECIDED };
  };
}

export function* buildJoinTable(
  context: OperatorContext,
  node: HashJoinNode | LeftJoinNode,
  label?: LabelRows,
): Steps<JoinTable> {
  const { runtime, meter, pacer, scratch } = context;
  const { build, stage } = node;
  const key = joinKey(runtime, node, 'inner');
  const table = new JoinTable(key.column, scratch);
  const resolve = createResolver(context, build.conditions, key);
  function* add(candidates: Candidates): Steps<void> {
    const isOpen = node.kind === 'hash-join' && node.keeps === 'unknown';
    const { frame, states } = dropRows(isOpen ? candidates : yield* resolve(candidates));
    if (frame.size === 0) return;
    runtime.budget.keep(frame.size, runtime.location);
    const rows = firstRows(frame.size);
    const codes = new Uint32Array(frame.size);
    if (key.column !== undefined) {
      table.encoder.encode(frame.vector(key.columnNumber), rows, codes);
    } else {
      for (const row of rows) {
        codes[row] = table.encoder.encodeValue(key.read(frame, row));
        if (pacer.isDue()) yield YIELD_POINT;
      }
    }
    table.add({ codes, numbers: frame.rowNumbers(stage), labels: label?.(frame, rows, states) });
    meter?.addRows(build, frame.size);
  }
  for (const candidates of readRegion(context, build.input, build)) {
    yield* measured(meter, build, add(candidates));
    yield YIELD_POINT;
  }
  yield* withYieldPoints(table.finish());
  return table;
}
