// Joins a region by looking up the partners of each row in an index, for rows that are few. The index
// offers rows that may be partners; the equality itself decides.

import {
  FALSE,
  INTEGER,
  MISSING,
  NULL,
  SPELLED_DOUBLE,
  STRING,
  TRUE,
} from '../../../../value/row-tags.ts';
import type { BoundExpression } from '../../../bind/bound-query.ts';
import type { SourceColumn, SourceIndex, SourceTable } from '../../../columnar/column-source.ts';
import { openTableIndex } from '../../../columnar/key-index.ts';
import type { IndexJoinNode } from '../../../plan/plan-node.ts';
import type { Frame } from '../frames/frame.ts';
import { inRegionOrder } from '../frames/read-access.ts';
import type { Vector } from '../frames/vector.ts';
import { type Candidates, dropDecided } from '../predicates/row-filter.ts';
import { NO, YES } from '../predicates/states.ts';
import { FallBackToRows } from '../runtime.ts';
import { createResolver } from './hash-join-operator.ts';
import { MOST_PAIRS, Pairs } from './pairs.ts';
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
    const pairs = new Pairs(frame.size);
    for (let row = 0; row < frame.size; row += 1) {
      if (states !== undefined && states[row] !== YES) continue;
      const rows = partners(vector, row, column);
      pairs.add(row, rows, 0, rows.length);
      if (pairs.size >= MOST_PAIRS) yield* keepEqual(pairs.take(frame));
    }
    if (pairs.size > 0) yield* keepEqual(pairs.take(frame));
  };
}

/** Pairs whose keys are equal; a pair that stays unknown is none. */
function createEqualityFilter(
  context: OperatorContext,
  equality: BoundExpression,
  earlier: readonly BoundExpression[],
): (frame: Frame) => Generator<Candidates> {
  const { rowFilter, compile } = context;
  const condition = compile([equality]);
  const resolve = createResolver(context, [...earlier, equality]);
  return function* keepEqual(frame): Generator<Candidates> {
    const candidates = rowFilter.drop(frame, rowFilter.states(frame, condition, undefined));
    const states = yield* resolve(candidates);
    if (states === undefined) yield candidates;
    else yield dropDecided(candidates.frame, toDecided(states));
  };
}

function toDecided(states: Uint8Array): Uint8Array {
  return states.map((state) => (state === YES ? YES : NO));
}

type FindPartners = (vector: Vector, row: number, column: SourceColumn) => Uint32Array;

/** Rows that may have the value, visible and in the order of the region; found once per value. */
function rememberPartners(table: SourceTable, index: SourceIndex): FindPartners {
  const known = new Map<string | number, Uint32Array>();
  return (vector, row, column) => {
    const key = keyOf(vector, row, column);
    const found = known.get(key);
    if (found !== undefined) return found;
    const rows = new Set<number>();
    visitPartners(index, vector.tags[row] ?? 0, key, (partner) => {
      if (partner < table.size && table.isVisible(partner)) rows.add(partner);
    });
    const sorted = inRegionOrder(table, Uint32Array.from(rows).sort());
    known.set(key, sorted);
    return sorted;
  };
}

/** A number, or a text with a prefix for its kind. */
function keyOf(vector: Vector, row: number, column: SourceColumn): string | number {
  const tag = vector.tags[row] ?? 0;
  if (tag >= INTEGER && tag <= SPELLED_DOUBLE) return vector.numbers[row] ?? 0;
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
    // A number that is no key may still be equal to one that is.
    index.forEachApart('odd', visit);
  } else if (tag === STRING) {
    const bound = { key: key.slice(1), inclusive: true };
    index.forEachString({ low: bound, high: bound }, visit);
  } else {
    index.forEachApart(kindOf(tag), visit);
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
