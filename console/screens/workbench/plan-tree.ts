// A plan as the service explains it, and facts derived from it.

import type { Plan } from '../../../src/client/index.ts';
import { regionPath } from '../../api/region-path.ts';

/** A step with the steps below it; docs/http-api.md states the members. */
export interface PlanStep {
  readonly node: string;
  readonly detail: string;
  readonly 'estimated-rows': number | null;
  readonly 'actual-rows'?: number;
  readonly 'actual-ms'?: number;
  readonly input?: PlanStep;
  readonly build?: PlanStep;
}

export interface RefusedIndex {
  readonly name: string;
  readonly reason: string;
}

export interface PlanFacts {
  readonly root: PlanStep;
  readonly subqueries: readonly PlanStep[];
  readonly used: readonly string[];
  readonly refused: readonly RefusedIndex[];
  readonly warnings: readonly string[];
  readonly rowsBecause: string | null;
  /** Milliseconds of the whole; undefined without a run. */
  readonly ms: number | undefined;
}

export function readPlan(plan: Plan): PlanFacts {
  // docs/http-api.md states the members.
  const root = plan.plan as unknown as PlanStep;
  return {
    root,
    subqueries: (plan['subqueries'] ?? []) as readonly PlanStep[],
    used: (plan['indexes-used'] ?? []) as readonly string[],
    refused: (plan['indexes-refused'] ?? []) as readonly RefusedIndex[],
    warnings: (plan['warnings'] ?? []) as readonly string[],
    rowsBecause: (plan['rows-because'] ?? null) as string | null,
    ms: root['actual-ms'],
  };
}

export function stepsBelow({ build, input }: PlanStep): readonly PlanStep[] {
  return [input, build].filter((step) => step !== undefined);
}

export function rowsOf(step: PlanStep): number | undefined {
  return step['actual-rows'] ?? step['estimated-rows'] ?? undefined;
}

/** Milliseconds of a step alone, without those below it. */
export function ownMs(step: PlanStep): number | undefined {
  const all = step['actual-ms'];
  if (all === undefined) return undefined;
  const below = stepsBelow(step).reduce((sum, each) => sum + (each['actual-ms'] ?? 0), 0);
  return Math.max(0, all - below);
}

export interface IndexAdvice {
  readonly region: string;
  readonly expression: string;
  readonly from: string;
  readonly name: string;
  readonly kind: 'hash' | 'range';
}

/** A scan that keeps more of its rows than this gains nothing from an index. */
const MAX_SHARE_KEPT = 0.25;

/** Indexes that would avoid a scan: one per filter that keeps few rows of a region. */
export function adviseIndexes(step: PlanStep): readonly IndexAdvice[] {
  const { input } = step;
  const isFilter = step.node === 'filter' || step.node === 'build';
  const own =
    isFilter && input?.node === 'scan' && leavesFew(step, input)
      ? conditionsOf(step.detail).map((found) => toAdvice(input.detail.slice(1), found))
      : [];
  return [...own.slice(0, 1), ...stepsBelow(step).flatMap(adviseIndexes)];
}

function leavesFew(filter: PlanStep, scan: PlanStep): boolean {
  const all = rowsOf(scan) ?? 0;
  return all > 100 && (rowsOf(filter) ?? all) <= all * MAX_SHARE_KEPT;
}

interface PlanCondition {
  readonly alias: string;
  readonly path: string;
  readonly operator: string;
}

/** `o.status = 'paid' AND o.total > 5`: equalities first. */
function conditionsOf(detail: string): readonly PlanCondition[] {
  const found = detail.matchAll(/\b([A-Za-z_]\w*)\.([A-Za-z_][\w.]*)\s*(=|<=?|>=?|IN\b|LIKE\b)/giu);
  return [...found]
    .map(([, alias = '', path = '', operator = '']) => ({ alias, path, operator }))
    .sort((a, b) => Number(b.operator === '=') - Number(a.operator === '='));
}

function toAdvice(region: string, { alias, operator, path }: PlanCondition): IndexAdvice {
  return {
    region,
    expression: `${alias}.${path}`,
    from: `${regionPath(region)} ${alias}`,
    name: `${region}-by-${path.replaceAll('.', '-').toLowerCase()}`,
    kind: operator === '=' || operator.toUpperCase() === 'IN' ? 'hash' : 'range',
  };
}
