// Looks conditions up in an index: all conditions of the AND on its path, merged into one range, or
// every operand of an OR in an index of its own.

import type { BoundExpression } from '../../bind/bound-query.ts';
import type { IndexFacts } from '../../execute/vector/column-source.ts';
import {
  type Candidate,
  type Draft,
  type IndexUse,
  indexesOf,
  openIndex,
  type RefusedIndex,
  ROWS_PER_LOOKUP,
  type Rule,
} from '../draft.ts';
import { conjunctsOf, countUse, findUse, guard, lookupIn } from '../find-lookup.ts';
import { unite } from '../lookup.ts';
import { sortCost } from '../scan-cost.ts';

export const useIndex: Rule = {
  name: 'use-index',
  apply(draft) {
    const refused: RefusedIndex[] = [];
    const candidates: Candidate[] = [];
    for (const index of indexesOf(draft, 0)) {
      const use = findUse(draft, 0, index);
      if (typeof use === 'string') refused.push({ name: index.name, reason: use });
      else candidates.push(candidateFor(draft, this.name, [use]));
    }
    return {
      ...draft,
      candidates: [...draft.candidates, ...candidates],
      refused: [...draft.refused, ...refused],
    };
  },
};

export const uniteOr: Rule = {
  name: 'unite-or',
  apply(draft) {
    const found = conjunctsOf(draft).flatMap((conjunct) => {
      if (conjunct.kind !== 'or') return [];
      const uses = conjunct.operands.map((operand) => cheapestUse(draft, operand, conjunct));
      const all = uses.filter((use) => use !== undefined);
      // One operand without an index means a look at every row.
      return all.length < uses.length ? [] : [candidateFor(draft, this.name, mergeUses(all))];
    });
    return found.length === 0 ? draft : { ...draft, candidates: [...draft.candidates, ...found] };
  },
};

function candidateFor(draft: Draft, rule: string, uses: readonly IndexUse[]): Candidate {
  const rows = uses.reduce((sum, use) => sum + countUse(draft, 0, use), 0);
  const { hints } = draft.runtime.shape.select;
  const names = uses.map(({ index }) => index.name);
  const hint = names.length === 1 ? hints.indexOf(names[0] ?? '') : -1;
  return {
    rule,
    access: { kind: 'lookup', uses, rows },
    // A hinted index is taken whatever it costs, the first named before the others.
    cost: hint < 0 ? rows * ROWS_PER_LOOKUP + sortCost(draft, rows) : hint - hints.length,
    indexes: names,
  };
}

function cheapestUse(
  draft: Draft,
  operand: BoundExpression,
  conjunct: BoundExpression,
): IndexUse | undefined {
  let best: { readonly use: IndexUse; readonly rows: number } | undefined;
  for (const index of indexesOf(draft, 0)) {
    const use = operandUse(draft, operand, conjunct, index);
    const rows = use === undefined ? 0 : countUse(draft, 0, use);
    if (use !== undefined && (best === undefined || rows < best.rows)) best = { use, rows };
  }
  return best?.use;
}

function operandUse(
  draft: Draft,
  operand: BoundExpression,
  conjunct: BoundExpression,
  index: IndexFacts,
): IndexUse | undefined {
  const lookup = lookupIn(draft, 0, operand, index);
  if (lookup === undefined || openIndex(draft, 0, index.name) === undefined) return undefined;
  return { index, lookup: guard(draft, lookup, [conjunct]) };
}

/** One lookup per index. */
function mergeUses(uses: readonly IndexUse[]): readonly IndexUse[] {
  const merged = new Map<string, IndexUse>();
  for (const use of uses) {
    const known = merged.get(use.index.name);
    const lookup = known === undefined ? use.lookup : unite(known.lookup, use.lookup);
    merged.set(use.index.name, { index: use.index, lookup });
  }
  return [...merged.values()];
}
