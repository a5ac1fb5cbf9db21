// From the conditions of a query to what they ask of an index.

import type { BoundExpression } from '../bind/bound-query.ts';
import type { IndexFacts } from '../execute/vector/column-source.ts';
import { splitConjuncts } from '../execute/vector/conjuncts.ts';
import { isOpen } from './bounds.ts';
import {
  type Draft,
  elementPath,
  type IndexUse,
  isSamePath,
  openIndex,
  type PathUse,
  pathOf,
  pathUseOf,
} from './draft.ts';
import {
  countKeys,
  intersect,
  type Lookup,
  lookupOf,
  ofMapElement,
  subjectOf,
  withAbsent,
} from './lookup.ts';
import { cannotFail, isAlwaysMap } from './safety.ts';
import { isUseful } from './wanted-indexes.ts';

export interface ServedUse extends IndexUse {
  /** The operands of WHERE that went into the lookup. */
  readonly served: readonly BoundExpression[];
}

/** The lookup of all conditions on the path of an index, or why there is none. */
export function findUse(draft: Draft, first: number, index: IndexFacts): ServedUse | string {
  const missing = whyNotOpen(draft, first, index);
  if (missing !== undefined) return missing;
  let lookup: Lookup | undefined;
  let iterator: number | undefined;
  const served: BoundExpression[] = [];
  for (const conjunct of conjunctsOf(draft)) {
    const one = lookupIn(draft, first, conjunct, index);
    const subject = pathUseOf(subjectOf(conjunct));
    if (one === undefined || subject === undefined) continue;
    // Two iterators over one collection have different items at a time.
    iterator ??= subject.path.iterator;
    if (iterator !== subject.path.iterator) continue;
    lookup = lookup === undefined ? one : intersect(lookup, one);
    served.push(conjunct);
  }
  if (lookup === undefined) return 'no condition of the AND can be looked up in it';
  return { index, lookup: guard(draft, lookup, served), served };
}

function whyNotOpen(draft: Draft, first: number, index: IndexFacts): string | undefined {
  if (openIndex(draft, first, index.name) !== undefined) return undefined;
  if (index.map !== undefined) return 'path not in a condition';
  if (index.path === undefined) return 'it is on an expression that is no path';
  const { shape } = draft.runtime;
  const table = shape.iterators[first]?.table ?? -1;
  const isWanted = isUseful(shape, table, index.path);
  return isWanted ? 'it is not built for this moment' : 'path not in a condition';
}

export function conjunctsOf({ runtime }: Draft): readonly BoundExpression[] {
  return splitConjuncts(runtime.shape.select.where);
}

/** What one condition asks of an index on the region of iterator `first`. */
export function lookupIn(
  draft: Draft,
  first: number,
  condition: BoundExpression,
  index: IndexFacts,
): Lookup | undefined {
  const subject = pathUseOf(subjectOf(condition));
  if (subject === undefined || !isOnPath(draft, first, subject, index)) return undefined;
  const found = lookupOf(condition, (expression) => draft.runtime.constant(expression));
  const isElement = found !== undefined && subject.key !== undefined;
  const lookup = isElement ? ofMapElement(found, isAlwaysMap(subject.path, draft.runtime)) : found;
  if (lookup === undefined || index.kind === 'range') return lookup;
  const { numbers, strings } = lookup.possible;
  return [...numbers, ...strings].some(isOpen) ? undefined : lookup;
}

function isOnPath(draft: Draft, first: number, { path, key }: PathUse, index: IndexFacts): boolean {
  const { iterators } = draft.runtime.shape;
  if (first > 0 && path.iterator !== first) return false;
  const isOfRegion = iterators[path.iterator]?.table === iterators[first]?.table;
  const own = pathOf(draft, path);
  const asked = own === undefined || key === undefined ? own : elementPath(own, key);
  return isOfRegion && isSamePath(asked, index.path);
}

/** Where another condition may fail, rows that leave this one unknown count too. */
export function guard(draft: Draft, lookup: Lookup, served: readonly BoundExpression[]): Lookup {
  const conjuncts = conjunctsOf(draft);
  const others = conjuncts.filter((conjunct) => !served.includes(conjunct));
  const isSafe = others.every((other) => cannotFail(other, draft.runtime));
  if (isSafe && !(conjuncts.length === 1 && keepsUnknown(draft))) return lookup;
  return withAbsent(lookup);
}

/** A WHERE that is a single `<>` keeps the rows for which it is unknown. */
function keepsUnknown({ runtime }: Draft): boolean {
  const { where } = runtime.shape.select;
  return where?.kind === 'comparison' && where.operator === '<>';
}

/** Rows a use offers. */
export function countUse(draft: Draft, first: number, { index, lookup }: IndexUse): number {
  const source = openIndex(draft, first, index.name);
  return source === undefined ? Number.POSITIVE_INFINITY : countKeys(lookup.possible, source);
}
