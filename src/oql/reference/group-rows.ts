// GROUP BY and aggregates.

import { hashKey, totalOrder } from '../../value/compare.ts';
import type { Value } from '../../value/value.ts';
import { type Accumulator, createAccumulator } from './aggregates.ts';
import type { CompiledGrouping, CompiledSelect } from './compile-query.ts';
import type { Group } from './environment.ts';
import { matchRows } from './match-rows.ts';
import { evaluate, type QueryRun } from './query-run.ts';
import { sortItems } from './sort-in-slices.ts';
import { type Flow, isWait, PAUSE } from './steps.ts';

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
  const groups = new Map<string, OpenGroup>();
  let kept = 0;
  const onKeep = (): void => {
    run.budget.keep(1, select.location);
    kept += 1;
  };
  try {
    for (const step of matchRows(select, run)) {
      if (isWait(step)) {
        yield step;
        continue;
      }
      const keys: Value[] = [];
      for (const key of grouping.keys) keys.push(yield* evaluate(key, run));
      const text = hashKey(keys);
      const group = groups.get(text) ?? openGroup(select, keys, onKeep);
      groups.set(text, group);
      for (const [index, argument] of grouping.arguments.entries()) {
        const value = argument === undefined ? true : yield* evaluate(argument, run);
        group.accumulators[index]?.add(value);
      }
    }
    for (const { keys, accumulators } of yield* sortItems([...groups.values()], orderByKeys, run)) {
      yield { keys, results: accumulators.map((each) => each.result()) };
      if (run.pacer.isDue()) yield PAUSE;
    }
  } finally {
    run.budget.release(kept);
  }
}

function openGroup(select: CompiledSelect, keys: readonly Value[], onKeep: () => void): OpenGroup {
  onKeep();
  const { text } = select.location;
  const aggregates = select.bound.grouping?.aggregates ?? [];
  const accumulators = aggregates.map((each) =>
    createAccumulator(each, { text, span: each.span }, onKeep),
  );
  return { keys, accumulators };
}

function orderByKeys(left: OpenGroup, right: OpenGroup): number {
  const orders = left.keys.map((key, index) => totalOrder(key, right.keys[index] ?? null));
  return orders.find((order) => order !== 0) ?? 0;
}
