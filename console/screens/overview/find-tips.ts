// Tips: suggested actions with their evidence.

import type { IndexDetails, Plan, QueryStatistics } from '../../../src/client/index.ts';
import { regionPath } from '../../api/region-path.ts';
import { printCount, printDuration, printTime } from '../../design/print-numbers.ts';
import type { Figures } from './figures.ts';

export interface Tip {
  readonly id: string;
  readonly title: string;
  readonly evidence: string;
  readonly action?: TipAction;
}

export type TipAction =
  | { readonly kind: 'create-index'; readonly index: SuggestedIndex }
  | { readonly kind: 'drop-index'; readonly region: string; readonly name: string }
  | { readonly kind: 'see-query'; readonly id: string }
  | { readonly kind: 'see-changes'; readonly region: string };

export interface SuggestedIndex {
  readonly region: string;
  readonly name: string;
  readonly expression: string;
  readonly from: string;
}

/** Reading fewer entries one by one is fast enough. */
const MANY_ENTRIES = 400;
/** A region that grew by this share while it was watched. */
const GROWTH = 0.2;
const MIN_GROWN = 1000;

/** A named query that reads a whole region to find entries by one of their members. */
export function scanTips(queryId: string, plan: Plan): readonly Tip[] {
  const tips: Tip[] = [];
  for (const step of listSteps(plan.plan)) {
    const input = toStep(step['input']);
    const rows = Number(input?.['estimated-rows'] ?? 0);
    if (step['node'] !== 'filter' || input?.['node'] !== 'scan' || rows < MANY_ENTRIES) continue;
    const [, alias = '', path = ''] = CONDITION.exec(String(step['detail'])) ?? [];
    const [, region] = SCAN.exec(String(input['detail'])) ?? [];
    if (alias === '' || region === undefined) continue;
    const condition = String(step['detail']);
    tips.push({
      id: `scan ${queryId} ${region} ${path}`,
      title: `An index on ${path.slice(1)} would speed up ${queryId}`,
      evidence: `It reads all ${printCount(rows)} entries of ${region} to find ${condition}.`,
      action: {
        kind: 'create-index',
        index: {
          region,
          name: `${region}-by-${path.slice(1).replaceAll('.', '-').toLowerCase()}`,
          expression: alias + path,
          from: `${regionPath(region)} ${alias}`,
        },
      },
    });
  }
  return tips;
}

/** `c.address.city = $1`; not a condition that an index cannot answer. */
const CONDITION = /^([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)+) (?:=|<|>|<=|>=) /;
const SCAN = /^\/([\w.-]+)$/;

type Step = Readonly<Record<string, unknown>>;

function* listSteps(step: Step): Generator<Step> {
  yield step;
  for (const member of Object.values(step)) {
    const inner = toStep(member);
    if (inner !== undefined) yield* listSteps(inner);
    if (Array.isArray(member)) {
      for (const element of member) {
        const item = toStep(element);
        if (item !== undefined) yield* listSteps(item);
      }
    }
  }
}

function toStep(value: unknown): Step | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // Members are checked one by one.
  return isObject ? (value as Step) : undefined;
}

/** An index unused for this long is reported. */
const UNUSED_MS = 60 * 60 * 1000;

/** Unused indexes, which cost memory and time with every write. */
export function unusedTips(
  region: string,
  indexes: readonly IndexDetails[],
  now: number,
): readonly Tip[] {
  return indexes
    .filter(({ countedSince, uses }) => uses === 0 && now - countedSince.getTime() >= UNUSED_MS)
    .map(({ countedSince, expression, name }) => ({
      id: `unused ${region} ${name}`,
      title: `Index ${name} was never used`,
      evidence: `No query of this server went through ${expression} of ${region} since ${printTime(countedSince)}.`,
      action: { kind: 'drop-index', region, name },
    }));
}

/** Share of the time limit of queries. */
const NEAR = 0.5;

/** Named queries that come near the time limit, or were ended by it. */
export function limitTips(queries: QueryStatistics['queries'], limitMs: number): readonly Tip[] {
  if (limitMs === 0) return [];
  const limit = printDuration(limitMs / 1000);
  return queries.flatMap((query): readonly Tip[] => {
    const { 'query-id': id, 'last-error': lastError, 'p99-ms': p99 } = query;
    const wasEnded = lastError?.code === 'oql/timeout';
    if (!wasEnded && p99 < limitMs * NEAR) return [];
    const evidence = wasEnded
      ? `A call was ended at ${printTime(new Date(lastError.time))}, after the ${limit} that a query may take.`
      : `The slowest of its last calls took ${printDuration(p99 / 1000)} of the ${limit} that a query may take.`;
    return [
      {
        id: `limit ${id}`,
        title: `${id} ${wasEnded ? 'ran into' : 'comes near'} the time limit`,
        evidence,
        action: { kind: 'see-query', id },
      },
    ];
  });
}

/** Findings from the figures of the last minutes. `expires`: whether entries of a region expire. */
export function figureTips(
  history: readonly Figures[],
  expires: (region: string) => boolean,
): readonly Tip[] {
  const first = history[0];
  const last = history.at(-1);
  if (first === undefined || last === undefined) return [];
  return [...growthTips(first, last, expires), ...waitTips(history)];
}

function growthTips(
  first: Figures,
  last: Figures,
  expires: (region: string) => boolean,
): readonly Tip[] {
  const minutes = Math.max(1, Math.round((last.time - first.time) / 60));
  return [...last.regions].flatMap(([region, { entries }]): readonly Tip[] => {
    if (expires(region)) return [];
    const before = first.regions.get(region)?.entries ?? entries;
    const grown = entries - before;
    if (grown < MIN_GROWN || grown < before * GROWTH) return [];
    return [
      {
        id: `growth ${region}`,
        title: `Region ${region} grows fast`,
        evidence: `${printCount(grown)} entries were added in about ${minutes} min, and none of them expires by itself.`,
        action: { kind: 'see-changes', region },
      },
    ];
  });
}

function waitTips(history: readonly Figures[]): readonly Tip[] {
  const waits = history.slice(-5);
  if (waits.length < 5 || waits.some(({ waitingQueries }) => waitingQueries === 0)) return [];
  return [
    {
      id: 'waiting',
      title: 'Queries are waiting',
      evidence: `${waits.at(-1)?.waitingQueries} are waiting, some of them for 10 s. Look for slow queries.`,
    },
  ];
}
