// From the conditions of a query to what they ask of an index.

import type { BoundExpression } from '../bind/bound-query.ts';
import { keepsUndecided } from '../bind/where-outcome.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import { isOpen } from './bounds.ts';
import type { PathCondition } from './conditions.ts';
import { type Draft, type IndexUse, openIndex } from './draft.ts';
import { countKeys, intersect, type Lookup, lookupOf, ofMapElement, withAbsent } from './lookup.ts';
import { isAlwaysMap } from './safety.ts';

export interface ServedUse extends IndexUse {
  /** The operands of WHERE that went into the lookup. */
  readonly served: readonly BoundExpression[];
}

/** The lookup of all conditions on the path of an index, or why there is none. */
export function findUse(draft: Draft, first: number, index: IndexFacts): ServedUse | string {
  const missing = whyNotOpen(draft, first, index);
  if (missing !== undefined) return missing;
  let iterator: number | undefined;
  const served = new Map<BoundExpression, Lookup>();
  for (const condition of draft.conditions.on(tableOf(draft, first), index.path)) {
    const one = lookupIn(draft, first, condition, index);
    if (one === undefined) continue;
    // Two iterators over one collection have different items at a time.
    iterator ??= condition.iterator;
    if (iterator === condition.iterator) served.set(condition.condition, one);
  }
  if (served.size === 0) return 'no condition of the AND can be looked up in it';
  const lookup = guard(draft, intersect([...served.values()]), new Set(served.keys()));
  return { index, lookup, served: [...served.keys()] };
}

function whyNotOpen(draft: Draft, first: number, index: IndexFacts): string | undefined {
  if (openIndex(draft, first, index.name) !== undefined) return undefined;
  if (index.map !== undefined) return 'path not in a condition';
  if (index.path === undefined) return 'it is on an expression that is no path';
  const isWanted = draft.conditions.mayServe(tableOf(draft, first), index.path);
  return isWanted ? 'it is not built for this moment' : 'path not in a condition';
}

function tableOf({ runtime }: Draft, iterator: number): number {
  return runtime.shape.iterators[iterator]?.table ?? -1;
}

/** What a condition on the path of an index asks of it, read by iterator `first`. */
export function lookupIn(
  { runtime }: Draft,
  first: number,
  { condition, iterator, map }: PathCondition,
  index: IndexFacts,
): Lookup | undefined {
  if (first > 0 && iterator !== first) return undefined;
  const found = lookupOf(condition, (expression) => runtime.constant(expression));
  const isElement = found !== undefined && map !== undefined;
  const lookup = isElement ? ofMapElement(found, isAlwaysMap(map, runtime)) : found;
  if (lookup === undefined || index.kind === 'range') return lookup;
  const { numbers, strings } = lookup.possible;
  return numbers.some(isOpen) || strings.some(isOpen) ? undefined : lookup;
}

/** Where another condition may fail, rows that leave this one unknown count too. */
export function guard(draft: Draft, lookup: Lookup, served: ReadonlySet<BoundExpression>): Lookup {
  const { conditions } = draft;
  const isSingle = conditions.conjuncts.length === 1;
  const isSafe = conditions.areOthersSafe(served);
  return isSafe && !(isSingle && keepsUndecided(draft.runtime.shape.select.where))
    ? lookup
    : withAbsent(lookup);
}

/** Rows a use offers. */
export function countUse(draft: Draft, first: number, { index, lookup }: IndexUse): number {
  const source = openIndex(draft, first, index.name);
  return source === undefined ? Number.POSITIVE_INFINITY : countKeys(lookup.possible, source);
}
