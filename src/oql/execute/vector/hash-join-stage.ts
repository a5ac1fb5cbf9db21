// Joins a region by a table of its rows, built once: hash join on the first equality with an earlier
// iterator.

import type { BoundExpression } from '../../bind/bound-query.ts';
import type { SourceColumn } from '../../columnar/column-source.ts';
import {
  type EquiJoin,
  findEquiJoin,
  iteratorsOf,
  joinConditions,
  stageOf,
} from '../../columnar/conjuncts.ts';
import type { Access } from '../../plan/draft.ts';
import { cannotFail } from '../../plan/safety.ts';
import type { Frame, Locator } from './frame.ts';
import { JoinTable } from './hash-join.ts';
import { type Candidates, hide, type Matches, noMatches } from './judge.ts';
import { MOST_PAIRS, Pairs, pairUnique } from './pairs.ts';
import type { Stage, StageContext } from './pipeline.ts';
import { readAccess } from './read-access.ts';
import { AskReference, type Runtime } from './runtime.ts';
import { NO, UNSURE_STATE, YES } from './states.ts';

export function* hashJoinStage(
  context: StageContext,
  stage: number,
  build: Access,
): Generator<Matches, Stage> {
  const { runtime, compile, refuse } = context;
  const { join, local, rest } = partJoin(context, stage);
  const table = yield* buildJoinTable(context, stage, build, local, runtime.slotOf(join.inner));
  const outerSlot = runtime.slotOf(join.outer);
  const find = table.finder(columnOf(runtime, outerSlot));
  const condition = compile(rest);
  const resolve = createResolver(context, stage);
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over all rows of a frame
  return function* joinRows(candidates): Generator<Candidates> {
    const { frame } = candidates;
    const states = resolve(candidates);
    const codes = find(frame.vector(outerSlot), frame.size);
    if (table.isUnique && states === undefined) {
      yield refuse(stage, pairUnique(frame, codes, table.sorted), condition);
      return;
    }
    const { starts, sorted } = table;
    const pairs = new Pairs(frame.size);
    for (let row = 0; row < frame.size; row += 1) {
      if (states !== undefined && states[row] !== YES) continue;
      const code = codes[row] ?? -1;
      if (code < 0) continue;
      pairs.add(row, sorted, starts[code] ?? 0, starts[code + 1] ?? 0);
      if (pairs.size >= MOST_PAIRS) yield refuse(stage, pairs.take(frame), condition);
    }
    if (pairs.size > 0) yield refuse(stage, pairs.take(frame), condition);
  };
}

interface JoinParts {
  readonly join: EquiJoin;
  /** Conditions on the joined region alone. */
  readonly local: readonly BoundExpression[];
  /** Conditions between it and others, but for the equality. */
  readonly rest: readonly BoundExpression[];
}

export function partJoin({ runtime, plan }: StageContext, stage: number): JoinParts {
  const here = plan.filters[stage] ?? [];
  const join = findEquiJoin(here, stage);
  if (join === undefined) throw new Error('no equality joins the regions');
  const isLocal = (conjunct: BoundExpression): boolean => iteratorsOf(conjunct).size === 1;
  // Where a key is missing the equality is unknown, and a failing condition would still count.
  const mustAsk = plan.filters.flat().some((conjunct) => {
    const isLater = stageOf(conjunct) > stage && !isOfRegion(runtime, conjunct);
    return (isLater || iteratorsOf(conjunct).size > 1) && !cannotFail(conjunct, runtime);
  });
  if (mustAsk) throw new AskReference('a condition between regions may fail');
  return {
    join,
    local: here.filter(isLocal),
    rest: here.filter((conjunct) => conjunct !== join.conjunct && !isLocal(conjunct)),
  };
}

/** Speaks of one region only, so that it is decided before any pairs are made. */
function isOfRegion({ shape }: Runtime, conjunct: BoundExpression): boolean {
  const iterators = [...iteratorsOf(conjunct)];
  return iterators.every((each) => shape.iterators[each]?.kind === 'region');
}

function columnOf(runtime: Runtime, slot: number): SourceColumn {
  const column = runtime.slots[slot]?.column;
  if (column === undefined) throw new Error('a join key has no column');
  return column;
}

/**
 * Before a join every earlier condition must be decided: it then holds for all pairs of a row.
 * A row that fails may still be outvoted by the join, which only the reference can tell.
 */
export function createResolver(
  { runtime, plan }: StageContext,
  stage: number,
): (candidates: Candidates) => Uint8Array | undefined {
  const earlier = joinConditions(plan.filters.slice(0, stage).flat());
  const decide = earlier && runtime.decide(earlier);
  return ({ frame, states }) => {
    if (states === undefined || decide === undefined) return states;
    return states.map((state, row) => {
      if (state !== UNSURE_STATE) return state;
      return decide(frame, row) === true ? YES : NO;
    });
  };
}

/** The places of iterators that play no part yet. */
const NOWHERE: Locator = { kind: 'nowhere' };

function* buildJoinTable(
  { runtime, judge, meter, compile }: StageContext,
  stage: number,
  build: Access,
  local: readonly BoundExpression[],
  keySlot: number,
): Generator<Matches, JoinTable> {
  const condition = compile(local);
  const all = joinConditions(local);
  const decide = all && runtime.decide(all);
  const table = new JoinTable(columnOf(runtime, keySlot));
  const before = Array.from({ length: stage }, (): Locator => NOWHERE);
  const scan = { table: runtime.tableOf(stage), slots: runtime.slots, before };
  const frames = readAccess(scan, build);
  const id = `build-${stage}`;
  for (const { frame, visible } of meter?.watch(id, frames, (each) => each.frame.size) ?? frames) {
    const add = (): Uint32Array => {
      const states = judge.states(frame, condition, undefined);
      if (visible !== undefined) hide(states, visible, frame.size);
      const rows = keepSure(frame, states, decide);
      runtime.budget.keep(rows.length, runtime.place);
      table.add(frame, stage, frame.vector(keySlot), rows);
      return rows;
    };
    const rows = meter === undefined ? add() : meter.time(`built-${stage}`, add);
    meter?.addRows(`built-${stage}`, rows.length);
    // A border at which the driver may pause.
    yield noMatches(frame);
  }
  table.finish();
  return table;
}

function keepSure(
  frame: Frame,
  states: Uint8Array,
  decide: ((frame: Frame, row: number) => boolean | undefined) | undefined,
): Uint32Array {
  const rows = new Uint32Array(frame.size);
  let count = 0;
  for (let row = 0; row < frame.size; row += 1) {
    const state = states[row];
    rows[count] = row;
    if (state === YES) count += 1;
    else if (state === UNSURE_STATE && decide?.(frame, row) === true) count += 1;
  }
  return rows.subarray(0, count);
}
