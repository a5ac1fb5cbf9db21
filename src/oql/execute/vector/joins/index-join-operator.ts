// Index nested-loop join: looks up the matches of each row in an index, if there are few rows. The
// index returns rows that may match; the equality itself decides.

import type { SourceIndex } from '../../../../value/column-data.ts';
import { plainNumber } from '../../../../value/number.ts';
import { UNDEFINED, type Value } from '../../../../value/value.ts';
import type { SourceTable } from '../../../columnar/column-source.ts';
import { type KeySet, lookupComparison, visitKeys } from '../../../plan/lookup.ts';
import type { IndexJoinNode } from '../../../plan/plan-node.ts';
import { requireIndex, visibleInOrder } from '../frames/read-access.ts';
import { type Candidates, dropRows } from '../predicates/row-filter.ts';
import { FallBackToRows } from '../runtime.ts';
import { createResolver } from './hash-join-operator.ts';
import { type MatchingRows, pairRows } from './pairs.ts';
import type { OperatorContext, RowOperator } from './row-operator.ts';

export function indexJoinOperator(
  context: OperatorContext,
  { earlier, equality, index: { name }, stage }: IndexJoinNode,
): RowOperator {
  const { runtime, rowFilter } = context;
  const table = runtime.tableOf(stage);
  const outerColumn = runtime.columnNumberOf(equality.outer);
  const resolve = createResolver(context, earlier);
  const condition = context.compile([equality.conjunct]);
  const resolveEqual = createResolver(context, [equality.conjunct]);
  const matches = rememberMatches(table, requireIndex(table, name));
  return function* joinRows(candidates): Generator<Candidates> {
    const { frame } = candidates;
    const decided = yield* resolve(candidates);
    const pairs = pairRows(decided, (row) => matches(frame.value(outerColumn, row)));
    // Keeps pairs whose keys are equal, and drops those for which that is unknown.
    for (const each of pairs) {
      yield dropRows(yield* resolveEqual(yield* rowFilter.apply(condition, each)));
    }
  };
}

/** Visible rows that may have the value, in the order of the region; looked up once per value. */
function rememberMatches(table: SourceTable, index: SourceIndex): (value: Value) => MatchingRows {
  const known = new Map<Value, MatchingRows>();
  return (value) => {
    const key = plainNumber(value) ?? value;
    const found = known.get(key);
    if (found !== undefined) return found;
    const offered: number[] = [];
    visitKeys(keysOf(value), index, (match) => offered.push(match));
    const rows = visibleInOrder(table, offered);
    const matches = { rows, states: undefined, start: 0, end: rows.length };
    known.set(key, matches);
    return matches;
  };
}

/** null joins null, and missing joins missing. */
function keysOf(value: Value): KeySet {
  if (value === UNDEFINED) return MISSING_KEYS;
  const lookup = lookupComparison('=', value);
  if (lookup === undefined) throw new FallBackToRows('a join meets values that no index holds');
  return lookup.possible;
}

const MISSING_KEYS: KeySet = { numbers: [], strings: [], unkeyed: new Set(['missing']) };
