// Looks up conditions in an index: all conditions of the AND on its path, merged into one range, or
// every operand of an OR in its own index.

import type { BoundExpression } from '../../bind/bound-query.ts';
import type { IndexFacts } from '../../columnar/column-source.ts';
import { termsOf } from '../../columnar/terms.ts';
import {
  type AccessCandidate,
  type Draft,
  hintedCost,
  indexesOf,
  openIndex,
  ROWS_PER_LOOKUP,
  type Rule,
  sortCost,
  withFound,
} from '../draft.ts';
import { countUse, findUse, lookupIn, withUnknownRows } from '../find-lookup.ts';
import { unite } from '../lookup.ts';
import type { IndexUse, RefusedIndex } from '../plan-node.ts';
import { termsIn } from '../useful-indexes.ts';

export const useIndex: Rule = {
  name: 'use-index',
  apply(draft) {
    const refused: RefusedIndex[] = [];
    const candidates: AccessCandidate[] = [];
    for (const index of indexesOf(draft, 0)) {
      const use = findUse(draft, 0, index);
      if (typeof use === 'string') refused.push({ name: index.name, reason: use });
      else candidates.push(candidateFor(draft, [use]));
    }
    return withFound(draft, { candidates, refused });
  },
};

const NOT_ALL_OPERANDS = 'an operand of the OR can be looked up in no index';

export const uniteOr: Rule = {
  name: 'unite-or',
  apply(draft) {
    // An index on several terms serves no operand.
    const own = indexesOf(draft, 0).filter((index) => termsOf(index).length === 1);
    const indexes = Map.groupBy(own, (index) => draft.conditions.keyOf(0, termsOf(index)[0] ?? ''));
    const candidates: AccessCandidate[] = [];
    const refused: RefusedIndex[] = [];
    const served: BoundExpression[] = [];
    const others: BoundExpression[] = [];
    for (const conjunct of draft.conditions.conjuncts) {
      if (conjunct.kind !== 'or') continue;
      const uses = conjunct.operands.map((operand) =>
        cheapestUse(draft, operand, conjunct, indexes),
      );
      const all = uses.filter((use) => use !== undefined);
      // One operand without an index means a scan.
      if (all.length < uses.length) {
        others.push(conjunct);
        // Not only those on terms: a member of a map is none.
        refused.push(...all.map(({ index }) => ({ name: index.name, reason: NOT_ALL_OPERANDS })));
        continue;
      }
      served.push(conjunct);
      candidates.push(candidateFor(draft, mergeUses(all)));
    }
    refused.unshift(...refuseWithin(draft, served, 'other indexes fit the OR better'));
    refused.push(...refuseWithin(draft, others, NOT_ALL_OPERANDS));
    return withFound(draft, { candidates, refused });
  },
};

/** Refuses the open indexes of the first region on terms of some expressions. */
function refuseWithin(
  draft: Draft,
  expressions: readonly BoundExpression[],
  reason: string,
): readonly RefusedIndex[] {
  const indexes = indexesOf(draft, 0).filter(({ name }) => openIndex(draft, 0, name) !== undefined);
  if (expressions.length === 0 || indexes.length === 0) return [];
  const terms = termsIn(draft.data.shape, expressions);
  return indexes
    .filter((index) => terms.has(draft.conditions.keyOf(0, termsOf(index)[0] ?? '')))
    .map(({ name }) => ({ name, reason }));
}

function candidateFor(draft: Draft, uses: readonly IndexUse[]): AccessCandidate {
  const rows = uses.reduce((sum, use) => sum + countUse(draft, 0, use), 0);
  const [only, second] = uses;
  const hinted = only && !second ? hintedCost(draft, only.index.name, 0) : undefined;
  const cost = hinted ?? rows * ROWS_PER_LOOKUP + sortCost(draft, rows);
  return { access: { kind: 'lookup', uses, rows }, cost };
}

function cheapestUse(
  draft: Draft,
  operand: BoundExpression,
  conjunct: BoundExpression,
  indexes: ReadonlyMap<string, readonly IndexFacts[]>,
): IndexUse | undefined {
  const condition = draft.conditions.describe(operand);
  if (condition === undefined) return undefined;
  const uses = (indexes.get(condition.key) ?? []).flatMap((index): IndexUse[] => {
    const lookup = lookupIn(draft, 0, condition, index);
    if (lookup === undefined || openIndex(draft, 0, index.name) === undefined) return [];
    return [{ index, lookup: withUnknownRows(draft, lookup, new Set([conjunct])) }];
  });
  return uses.sort((a, b) => countUse(draft, 0, a) - countUse(draft, 0, b))[0];
}

/** One lookup per index. */
function mergeUses(uses: readonly IndexUse[]): readonly IndexUse[] {
  const byIndex = Map.groupBy(uses, ({ index }) => index);
  return [...byIndex].map(([index, same]) => {
    return { index, lookup: unite(same.map(({ lookup }) => lookup)) };
  });
}
