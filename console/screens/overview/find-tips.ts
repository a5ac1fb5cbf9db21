// Tips: something worth doing, with the evidence for it.

import type { Plan } from '../../../src/client/index.ts';
import type { Figures } from './figures.ts';

export interface Tip {
  readonly id: string;
  readonly title: string;
  readonly evidence: string;
  /** An index that would help. */
  readonly index?: SuggestedIndex;
}

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
const LEAST_GROWN = 1000;

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
      evidence: `It reads all ${rows.toLocaleString()} entries of ${region} to find ${condition}.`,
      index: {
        region,
        name: `${region}-by-${path.slice(1).replaceAll('.', '-').toLowerCase()}`,
        expression: alias + path,
        from: `/${region} ${alias}`,
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
  // Members are looked at one by one.
  return isObject ? (value as Step) : undefined;
}

/** What the figures of the last minutes show. */
export function figureTips(history: readonly Figures[]): readonly Tip[] {
  const first = history[0];
  const last = history.at(-1);
  if (first === undefined || last === undefined) return [];
  return [...growthTips(first, last), ...waitTips(history)];
}

function growthTips(first: Figures, last: Figures): readonly Tip[] {
  const minutes = Math.max(1, Math.round((last.time - first.time) / 60));
  return [...last.regions].flatMap(([region, { entries }]) => {
    const before = first.regions.get(region)?.entries ?? entries;
    const grown = entries - before;
    if (grown < LEAST_GROWN || grown < before * GROWTH) return [];
    return [
      {
        id: `growth ${region}`,
        title: `Region ${region} grows fast`,
        evidence: `${grown.toLocaleString()} entries were added in about ${minutes} min.`,
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
      title: 'Queries wait for their turn',
      evidence: `${waits.at(-1)?.waitingQueries} wait now, and some have waited for 10 s. Look for slow queries.`,
    },
  ];
}
