// Chooses the join of each further region, before indexes are considered: a hash join if an
// equality connects it to an earlier iterator, otherwise a cross join.

import type { BoundExpression } from '../bind/bound-query.ts';
import { type EquiJoin, findEquiJoin, iteratorsOf } from '../columnar/conjuncts.ts';
import { isLeftJoined } from '../columnar/shape.ts';
import type { Draft } from './draft.ts';
import type { QueryFacts } from './plan-data.ts';
import type { BuildNode, JoinMethod } from './plan-node.ts';
import { cannotFail } from './safety.ts';

/** By iterator; undefined for the first and for nested collections. */
export function chooseJoins(
  draft: Draft,
  filters: Draft['filters'],
): readonly (JoinMethod | undefined)[] {
  const { data, conditions } = draft;
  const equalities = filters.map((here, stage) =>
    stage === 0 || isLeftJoined(data.shape.iterators[stage])
      ? undefined
      : findEquiJoin(here, stage),
  );
  const last = lastUnknown(draft, filters, equalities);
  return data.shape.iterators.map((iterator, stage): JoinMethod | undefined => {
    if (iterator.kind === 'items' || stage === 0) return undefined;
    const { leftJoin } = iterator;
    const access = { kind: 'scan', rows: data.tableOf(stage).size } as const;
    const build: BuildNode = {
      kind: 'build',
      stage,
      conditions: leftJoin?.build ?? conditions.local(stage),
      input: { kind: 'access', stage, access },
    };
    if (leftJoin !== undefined) {
      const { equality, others } = leftJoin;
      return { kind: 'left-join', stage, equality, conditions: others, build };
    }
    const equality = equalities[stage];
    const keeps = stage < last ? 'unknown' : 'matching';
    // Only keys that are columns show which pairs are unknown.
    const isHashed = equality && (keeps === 'matching' || equality.keys === 'columns');
    if (!isHashed) return { kind: 'cross-join', stage, build };
    return { kind: 'hash-join', stage, equality, keeps, build };
  });
}

/**
 * The last stage whose join keeps unknown rows: they matter while a condition on joined rows may
 * still fail. A condition on one region is decided before its rows are joined.
 */
function lastUnknown(
  draft: Draft,
  filters: Draft['filters'],
  equalities: readonly (EquiJoin | undefined)[],
): number {
  let last = -1;
  filters.forEach((here, stage) => {
    for (const conjunct of here) {
      // If a computed key fails, the query falls back to rows.
      if (conjunct === equalities[stage]?.conjunct || !mayFailJoined(draft, conjunct)) continue;
      const isBetween = iteratorsOf(conjunct).size > 1;
      last = isBetween ? Number.POSITIVE_INFINITY : Math.max(last, stage);
    }
  });
  return last;
}

/** Whether a condition that is decided after the join may fail. */
export function mayFailJoined({ data }: Draft, conjunct: BoundExpression): boolean {
  const [only = 0, ...others] = iteratorsOf(conjunct);
  const iterator = data.shape.iterators[only];
  const isJoined = others.length > 0 || iterator?.kind === 'items' || isLeftJoined(iterator);
  return isJoined && !cannotFail(conjunct, data);
}

/**
 * Whether ON of a LEFT JOIN may fail for a row with which it is not evaluated: a row that an earlier
 * condition drops, or a pair for which the equality is unknown. Conditions on the build side are
 * evaluated for each of its rows.
 */
export function mayHideFailure(data: QueryFacts): boolean {
  return data.shape.iterators.some(
    (each) =>
      each.kind === 'region' && each.leftJoin?.others.some((other) => !cannotFail(other, data)),
  );
}
