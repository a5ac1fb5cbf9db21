// Index nested-loop join: looks up the matches of each row in an index, if there are few rows. The
// index returns rows that may match; the equality itself decides.

import { FALSE, isNumberTag, MISSING, NULL, STRING, TRUE } from '../../../../value/row-tags.ts';
import type { BoundExpression } from '../../../bind/bound-query.ts';
import type { SourceColumn, SourceIndex, SourceTable } from '../../../columnar/column-source.ts';
import { openTableIndex } from '../../../columnar/key-index.ts';
import type { IndexJoinNode } from '../../../plan/plan-node.ts';
import type { Frame } from '../frames/frame.ts';
import { inRegionOrder } from '../frames/read-access.ts';
import type { Vector } from '../frames/vector.ts';
import { type Candidates, dropDecided } from '../predicates/row-filter.ts';
import { FallBackToRows } from '../runtime.ts';
import { createResolver } from './hash-join-operator.ts';
import { type Partners, pairRows } from './pairs.ts';
import type { OperatorContext, RowOperator } from './row-operator.ts';

export function indexJoinOperator(
  context: OperatorContext,
  { earlier, equality, index: { name }, stage }: IndexJoinNode,
): RowOperator {
  const { runtime } = context;
  const table = runtime.tableOf(stage);
  const index = openTableIndex(table, name);
  const outerSlot = runtime.slotOf(equality.outer);
  const column = runtime.slots[outerSlot]?.column;
  if (index === undefined || column === undefined) throw new Error(`index ${name} is gone`);
  const resolve = createResolver(context, earlier);
  const keepEqual = createEqualityFilter(context, equality.conjunct, earlier);
  const partners = rememberPartners(table, index);
  return function* joinRows(candidates): Generator<Candidates> {
    const { frame } = candidates;
    const states = yield* resolve(candidates);
    const vector = frame.vector(outerSlot);
    const pairs = pairRows({ frame, states }, (row) => partners(vector, row, column));
    for (const { frame: paired } of pairs) yield* keepEqual(paired);
  };
}

/** Keeps pairs whose keys are equal, and drops those for which that is unknown. */
function createEqualityFilter(
  context: OperatorContext,
  equality: BoundExpression,
  earlier: readonly BoundExpression[],
): (frame: Frame) => Generator<Candidates> {
  const { rowFilter, compile } = context;
  const condition = compile([equality]);
  const resolve = createResolver(context, [...earlier, equality]);
  return function* keepEqual(frame): Generator<Candidates> {
    const candidates = rowFilter.drop(frame, yield* rowFilter.states(frame, condition));
    const states = yield* resolve(candidates);
    if (states === undefined) yield candidates;
    else yield dropDecided(candidates.frame, states);
  };
}

type FindPartners = (vector: Vector, row: number, column: SourceColumn) => Partners;

/** Visible rows that may have the value, in the order of the region; looked up once per value. */
function rememberPartners(table: SourceTable, index: SourceIndex): FindPartners {
  const known = new Map<string | number, Partners>();
  return (vector, row, column) => {
    const key = keyOf(vector, row, column);
    const found = known.get(key);
    if (found !== undefined) return found;
    const offered = new Set<number>();
    visitPartners(index, vector.tags[row] ?? 0, key, (partner) => {
      if (partner < table.size && table.isVisible(partner)) offered.add(partner);
    });
    const rows = inRegionOrder(table, Uint32Array.from(offered).sort());
    const partners = { rows, states: undefined, start: 0, end: rows.length };
    known.set(key, partners);
    return partners;
  };
}

/** A number, or a text with a prefix for its kind. */
function keyOf(vector: Vector, row: number, column: SourceColumn): string | number {
  const tag = vector.tags[row] ?? 0;
  if (isNumberTag(tag)) return vector.numbers[row] ?? 0;
  if (tag === STRING) return `s${column.strings.text(vector.ids[row] ?? 0)}`;
  return `t${tag}`;
}

function visitPartners(
  index: SourceIndex,
  tag: number,
  key: string | number,
  visit: (row: number) => void,
): void {
  if (typeof key === 'number') {
    const bound = { key, inclusive: true };
    index.forEachNumber({ low: bound, high: bound }, visit);
    // An odd number may be equal to a number that is a key.
    index.forEachUnkeyed('odd', visit);
  } else if (tag === STRING) {
    const bound = { key: key.slice(1), inclusive: true };
    index.forEachString({ low: bound, high: bound }, visit);
  } else {
    index.forEachUnkeyed(kindOf(tag), visit);
  }
}

/** null joins null, and missing joins missing. */
function kindOf(tag: number): 'missing' | 'null' | 'true' | 'false' {
  switch (tag) {
    case MISSING:
      return 'missing';
    case NULL:
      return 'null';
    case TRUE:
      return 'true';
    case FALSE:
      return 'false';
    default:
      throw new FallBackToRows('a join meets values that no index holds');
  }
}
