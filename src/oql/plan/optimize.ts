// The planner: an ordered list of rules, each of which makes one kind of decision. A rule may
// rewrite the query or choose a way to run it. No rule changes a result or a failure.

import type { BoundExpression } from '../bind/bound-query.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import { iteratorsOf } from '../columnar/conjuncts.ts';
import { KEY_INDEX } from '../columnar/key-index.ts';
import { buildTree } from './build-tree.ts';
import { chooseJoins } from './choose-joins.ts';
import { Conditions } from './conditions.ts';
import type { Draft, PlanFacts, PlannedQuery, Rule } from './draft.ts';
import { Estimator } from './estimate.ts';
import type { PlanData } from './plan-data.ts';
import { indexesIn, type PlanNotes, type RefusedIndex, type RootNode } from './plan-node.ts';
import { chooseAccess } from './rules/choose-access.ts';
import { foldConstants } from './rules/fold-constants.ts';
import { countFromIndex, distinctFromIndex, minMaxFromIndex } from './rules/index-only.ts';
import { buildFromIndex, joinThroughIndex } from './rules/join-regions.ts';
import { orderFromIndex } from './rules/order-from-index.ts';
import { orderJoins } from './rules/order-joins.ts';
import { uniteOr, useIndex } from './rules/use-index.ts';

/** Evaluates each operand of WHERE as soon as all iterators that it refers to are joined. */
const pushDownFilters: Rule = {
  name: 'push-down-filters',
  apply(draft) {
    const { iterators } = draft.data.shape.select;
    const filters: BoundExpression[][] = iterators.map(() => []);
    for (const conjunct of draft.conditions.conjuncts) {
      filters[Math.max(0, ...iteratorsOf(conjunct))]?.push(conjunct);
    }
    return { ...draft, filters, joins: chooseJoins(draft, filters) };
  },
};

const RULES: readonly Rule[] = [
  foldConstants,
  orderJoins,
  pushDownFilters,
  useIndex,
  uniteOr,
  orderFromIndex,
  countFromIndex,
  minMaxFromIndex,
  distinctFromIndex,
  chooseAccess,
  buildFromIndex,
  joinThroughIndex,
];

/** A tree that runs, the data that it was made for, and how the planner arrived at it. */
export interface ColumnPlan extends PlanNotes, PlannedQuery {
  readonly root: RootNode;
  /** Whether parts of the query were replaced by their values. */
  readonly isFolded: boolean;
}

export function optimize(original: PlanData, facts: PlanFacts): ColumnPlan {
  let draft = firstDraft(original, facts);
  const applied = new Set<string>();
  /** The rule that found each candidate. */
  const finders = new Map<Draft['access'], string>();
  for (const rule of RULES) {
    const next = rule.apply(draft);
    if (isVisible(rule, draft, next)) applied.add(rule.name);
    for (const { access } of next.candidates.slice(draft.candidates.length)) {
      finders.set(access, rule.name);
    }
    draft = next;
  }
  const { data, estimator, conditions, access } = draft;
  const used = usedIndexes(draft);
  return {
    data,
    estimator,
    conditions,
    facts,
    root: buildTree(draft),
    isFolded: applied.has(foldConstants.name),
    rules: RULES.map(({ name }) => name).filter(
      (name) => applied.has(name) || name === finders.get(access),
    ),
    used,
    refused: finalRefusals(draft, used),
  };
}

/** The plan before any rule: regions are scanned and joined in the order of the text. */
function firstDraft(data: PlanData, facts: PlanFacts): Draft {
  const { iterators } = data.shape;
  return {
    data,
    facts,
    estimator: new Estimator(data),
    conditions: new Conditions(data),
    order: iterators.map((_, iterator) => iterator),
    restoresOrder: false,
    filters: [],
    candidates: [],
    access: { kind: 'scan', rows: data.tableOf(0).size },
    joins: [],
    refused: [],
  };
}

/** Rules that only add candidates are visible if one of those is chosen. */
function isVisible(rule: Rule, before: Draft, after: Draft): boolean {
  if (rule === pushDownFilters) return after.filters.slice(0, -1).some(({ length }) => length > 0);
  return before.data !== after.data || before.joins !== after.joins;
}

/** Each unused index once, with the last reason that was found. */
function finalRefusals({ refused }: Draft, used: readonly IndexFacts[]): readonly RefusedIndex[] {
  const last = new Map(refused.map((each) => [each.name, each]));
  for (const { name } of [KEY_INDEX, ...used]) last.delete(name);
  return [...last.values()];
}

function usedIndexes({ access, joins }: Draft): readonly IndexFacts[] {
  const joined = joins.flatMap((join) => {
    if (join === undefined) return [];
    return 'index' in join ? [join.index] : indexesIn(join.build.input.access);
  });
  return [...new Set([...indexesIn(access), ...joined])].filter((index) => index !== KEY_INDEX);
}
