// GROUP BY and aggregates.

import { hashKey, totalOrder } from '../../value/compare.ts';
import type { Value } from '../../value/value.ts';
import { type Accumulator, createAccumulator } from './aggregates.ts';
import type { CompiledGrouping, CompiledSelect } from './compile-query.ts';
import type { Group } from './environment.ts';
import { matchRows } from './match-rows.ts';
import { evaluate, type QueryRun } from './query-run.ts';
import { sortItems } from './sort-in-slices.ts';
import { type Flow, isWait, PAUSE, type Task } from './steps.ts';

interface OpenGroup {
  readonly keys: readonly Value[];
  readonly accumulators: readonly Accumulator[];
}

/** Groups in ascending order of their keys. Without a matching row there is no group. */
export function* groupRows(
  select: CompiledSelect,
  grouping: CompiledGrouping,
  run: QueryRun,
): Flow<Group> {
  let kept = 0;
  const onKeep = (): void => {
    run.budget.keep(1, select.location);
    kept += 1;
  };
  try {
    const groups = yield* collectGroups(select, grouping, onKeep, run);
    for (const { keys, accumulators } of yield* sortItems(groups, orderByKeys, run)) {
      yield { keys, results: accumulators.map((each) => each.result()) };
      if (run.pacer.isDue()) yield PAUSE;
    }
  } finally {
    run.budget.release(kept);
  }
}

function* collectGroups(
  select: CompiledSelect,
  grouping: CompiledGrouping,
  onKeep: () => void,
  run: QueryRun,
): Task<readonly OpenGroup[]> {
  const groups = new Map<string, OpenGroup>();
  for (const step of matchRows(select, run)) {
    if (isWait(step)) {
      yield step;
      continue;
    }
    const keys: Value[] = [];
    for (const key of grouping.keys) keys.push(yield* evaluate(key, run));
    const text = hashKey(keys);
    let group = groups.get(text);
    if (group === undefined) {
      onKeep();
      group = { keys, accumulators: openAccumulators(select, onKeep) };
      groups.set(text, group);
    }
    for (const [index, argument] of grouping.arguments.entries()) {
      group.accumulators[index]?.add(
        argument === undefined ? true : yield* evaluate(argument, run),
      );
    }
  }
  return [...groups.values()];
}

function openAccumulators(select: CompiledSelect, onKeep: () => void): readonly Accumulator[] {
  const { text } = select.location;
  const aggregates = select.bound.grouping?.aggregates ?? [];
  return aggregates.map((each) => createAccumulator(each, { text, span: each.span }, onKeep));
}

function orderByKeys(left: OpenGroup, right: OpenGroup): number {
  for (const [index, key] of left.keys.entries()) {
    const order = totalOrder(key, right.keys[index] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}
