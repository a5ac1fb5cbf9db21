// LEFT JOIN: probes a hash table like a hash join. A row without a match is paired with the row of
// the joined table that has no values (no-row.ts). Conditions of WHERE have no part in it, so
// unknown rows stay unknown.

import type { LeftJoinNode } from '../../../plan/plan-node.ts';
import { UNSEEN } from '../codes/number-codes.ts';
import { locateRows } from '../frames/frame.ts';
import { numberOfNoRow } from '../frames/no-row.ts';
import {
  type Candidates,
  dropRows,
  type Steps,
  withYieldPoints,
} from '../predicates/row-filter.ts';
import { NO, YES } from '../predicates/states.ts';
import { buildJoinTable, createResolver, joinKey, matchesByCode } from './hash-join-operator.ts';
import { type FindMatches, type MatchingRows, pairRows } from './pairs.ts';
import type { OperatorContext, RowOperator } from './row-operator.ts';

export function* leftJoinOperator(
  context: OperatorContext,
  node: LeftJoinNode,
): Steps<RowOperator> {
  const { runtime } = context;
  const table = yield* buildJoinTable(context, node);
  const find = yield* withYieldPoints(table.encoder.finder(joinKey(runtime, node, 'outer')));
  const noRow = numberOfNoRow(runtime.tableOf(node.stage));
  const rows = Uint32Array.of(noRow);
  const unmatched: MatchingRows = { rows, states: undefined, start: 0, end: 1 };
  const filterPairs = node.conditions.length > 0 ? pairFilter(context, node, noRow) : undefined;
  return function* joinRows(candidates): Generator<Candidates> {
    const { frame, states } = dropRows(candidates);
    const { codes } = find(frame);
    const matchesOf = matchesByCode(codes, table);
    if (filterPairs !== undefined) {
      yield* filterPairs({ frame, states }, matchesOf);
    } else if (table.isUnique) {
      const matches = new Uint32Array(frame.size);
      for (let row = 0; row < frame.size; row += 1) {
        matches[row] = table.sorted[codes[row] ?? UNSEEN] ?? noRow;
      }
      yield { frame: frame.extend(locateRows(matches)), states };
    } else {
      yield* pairRows({ frame, states }, (row) => matchesOf(row) ?? unmatched);
    }
  };
}

/** Drops the pairs that do not meet the conditions, and keeps rows that are left without a match. */
function pairFilter(context: OperatorContext, { conditions, stage }: LeftJoinNode, noRow: number) {
  const condition = context.compile(conditions);
  const resolve = createResolver(context, conditions);
  return function* filterPairs(
    { frame, states }: Candidates,
    matchesOf: FindMatches,
  ): Generator<Candidates> {
    let rows: number[] = [];
    let matches: number[] = [];
    // The first row that may still have a match.
    let next = 0;
    const add = (row: number, match: number): void => {
      rows.push(row);
      matches.push(match);
      next = row + 1;
    };
    const addUnmatched = (before: number): void => {
      while (next < before) add(next, noRow);
    };
    const take = (): Candidates => {
      const outer = Uint32Array.from(rows);
      const inner = locateRows(Uint32Array.from(matches));
      [rows, matches] = [[], []];
      const kept = states && Uint8Array.from(outer, (row) => states[row] ?? NO);
      return { frame: frame.pick(outer).extend(inner), states: kept };
    };
    for (const pairs of pairRows({ frame, states: undefined }, matchesOf)) {
      const { states: met } = yield* resolve(yield* context.rowFilter.apply(condition, pairs));
      for (const [at, row] of pairs.outer.entries()) {
        if (met?.[at] !== YES) continue;
        addUnmatched(row);
        add(row, pairs.frame.rowNumberAt(stage, at));
      }
      yield take();
    }
    addUnmatched(frame.size);
    yield take();
  };
}
