// Derives index look-ups from the conditions of a query.

import { toCollection } from '../../value/collections.ts';
import type { Value } from '../../value/value.ts';
import type { BoundExpression } from '../bind/bound-query.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import { KEY_INDEX } from '../columnar/key-index.ts';
import { termsOf } from '../columnar/terms.ts';
import {
  hasRoomFor,
  isOfOneKey,
  isOfSingleKeys,
  joinLookups,
  seekComputed,
  withOther,
} from './computed-lookup.ts';
import type { Conditions, TermCondition } from './conditions.ts';
import { type Draft, openIndex } from './draft.ts';
import {
  countKeys,
  intersect,
  type Lookup,
  lookupComparison,
  lookupOf,
  ofMapElement,
  withAbsent,
} from './lookup.ts';
import type { QueryFacts } from './plan-data.ts';
import type { IndexUse } from './plan-node.ts';
import { isAlwaysMap } from './safety.ts';

export interface ServedUse extends IndexUse {
  /** The operands of WHERE that the look-up serves. */
  readonly served: readonly BoundExpression[];
  /** How many of the first terms of the index have one value in all rows of the look-up. */
  readonly fixed: number;
}

/** A query and its conditions; look-ups are found without reading data. */
interface Conditioned {
  readonly data: QueryFacts;
  readonly conditions: Conditions;
}

/**
 * The lookup of all conditions on the path of an open index, or why there is none. `target` is the
 * iterator whose rows the index finds.
 */
export function findUse(draft: Draft, target: number, index: IndexFacts): ServedUse | string {
  return whyNotOpen(draft, target, index) ?? findLookup(draft, target, index);
}

/**
 * The same of an index that need not be open. In an index on several terms these are single values
 * of the first terms, then a range.
 */
export function findLookup(
  draft: Conditioned,
  target: number,
  index: IndexFacts,
): ServedUse | string {
  const terms = termsOf(index);
  const lookups: Lookup[] = [];
  const served: BoundExpression[] = [];
  for (const term of terms) {
    const use = findServed(draft, target, index, term);
    if (use === undefined) break;
    if (terms.length === 1) return { index, ...use, fixed: 0 };
    lookups.push(use.lookup);
    served.push(...use.served);
    if (!isOfSingleKeys(use.lookup) || !hasRoomFor(lookups)) break;
  }
  if (lookups.length === 0) {
    return `no condition can be looked up ${terms.length > 1 ? 'by its first value' : 'in it'}`;
  }
  const varying = lookups.findIndex((each) => !isOfOneKey(each));
  const fixed = varying < 0 ? lookups.length : varying;
  return { index, lookup: joinLookups(lookups), served, fixed };
}

/** The operands of the AND that a term of an index serves, and their look-up. */
function findServed(
  draft: Conditioned,
  target: number,
  index: IndexFacts,
  term: string,
): Pick<ServedUse, 'lookup' | 'served'> | undefined {
  let iterator: number | undefined;
  const served = new Map<BoundExpression, Lookup>();
  for (const condition of draft.conditions.on(target, term)) {
    const lookup = lookupIn(draft, target, condition, index);
    if (lookup === undefined) continue;
    // Two iterators over one collection are at different items.
    iterator ??= condition.iterator;
    if (iterator === condition.iterator) served.set(condition.condition, lookup);
  }
  if (served.size === 0) return undefined;
  // A condition on another term is one that may fail, too.
  const all = new Set(served.keys());
  return { lookup: withUnknownRows(draft, intersect([...served.values()]), all), served: [...all] };
}

function whyNotOpen(draft: Draft, target: number, index: IndexFacts): string | undefined {
  if (openIndex(draft, target, index.name) !== undefined) return undefined;
  const [term, second] = termsOf(index);
  if (term === undefined) {
    return index.map === undefined ? 'no query can use it' : 'its path is in no condition';
  }
  if (draft.conditions.mayServe(target, term)) {
    return 'it is not available for this snapshot';
  }
  if (second !== undefined) return 'its first value is in no condition';
  return index.path === undefined
    ? 'its expression is in no condition'
    : 'its path is in no condition';
}

/** The look-up for a condition on a term of an index, for rows of the iterator `target`. */
export function lookupIn(
  { data }: Conditioned,
  target: number,
  { condition, iterator, map }: TermCondition,
  index: IndexFacts,
): Lookup | undefined {
  if (target > 0 && iterator !== target) return undefined;
  const constant = (expression: BoundExpression): Value | undefined => {
    const value = data.constant(expression);
    return value !== undefined && (index === KEY_INDEX || hasUtf8(value)) ? value : undefined;
  };
  const isComputed = index.terms !== undefined;
  let lookup = lookupOf(condition, constant, isComputed ? seekComputed : lookupComparison);
  if (lookup === undefined) return undefined;
  if (isComputed) lookup = withOther(lookup);
  else if (map !== undefined) lookup = ofMapElement(lookup, isAlwaysMap(map, data));
  // Only a range index finds more than single keys.
  return index.kind === 'range' || isOfSingleKeys(lookup) ? lookup : undefined;
}

/** A lone surrogate has no UTF-8: an index would confuse it with the replacement character. */
function hasUtf8(value: Value): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  return toCollection(value)?.every(hasUtf8) ?? true;
}

/** If another condition may fail, rows for which this one is unknown must be read too. */
export function withUnknownRows(
  draft: Conditioned,
  lookup: Lookup,
  served: ReadonlySet<BoundExpression>,
): Lookup {
  const isSafe = draft.conditions.areOthersSafe(served);
  return isSafe && !draft.conditions.keepsUnknown ? lookup : withAbsent(lookup);
}

export function countUse(draft: Draft, target: number, { index, lookup }: IndexUse): number {
  const source = openIndex(draft, target, index.name);
  return source === undefined ? Number.POSITIVE_INFINITY : countKeys(lookup.possible, source);
}
