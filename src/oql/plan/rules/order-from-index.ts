// Reads rows in the order of a range index on the first ORDER BY path, so that no sort is needed,
// and a query with LIMIT reads only the rows of its result. Rows of one key are in the order of the
// region, as after a stable sort.

import type { BoundExpression, BoundSelect } from '../../bind/bound-query.ts';
import type { IndexFacts } from '../../columnar/column-source.ts';
import { iteratorsOf, neverFails } from '../../columnar/conjuncts.ts';
import { isOfRow, termsOf } from '../../columnar/terms.ts';
import {
  type AccessCandidate,
  type Draft,
  indexCandidate,
  indexesOf,
  isOn,
  isTextual,
  openIndex,
  ROWS_PER_LOOKUP,
  type Rule,
  withFound,
} from '../draft.ts';
import { findUse } from '../find-lookup.ts';
import { countKeys, EVERYTHING, isOfOneKind } from '../lookup.ts';
import type { QueryFacts } from '../plan-data.ts';
import type { RefusedIndex } from '../plan-node.ts';
import { hasOneOrder } from '../safety.ts';

export const orderFromIndex: Rule = {
  name: 'order-from-index',
  apply(draft) {
    const { select } = draft.data.shape;
    const [key, ...others] = select.orderBy;
    if (key === undefined || select.grouping !== undefined || !isTextual(draft.order)) return draft;
    const [iterator = 0, ...more] = iteratorsOf(key.expression);
    if (iterator !== 0 || more.length > 0) return draft;
    const orders = indexesOf(draft, 0).flatMap((index) => findOrder(draft, index) ?? []);
    if (orders.length === 0) return draft;
    const reason = whyNot(draft, others);
    const refused = orders.flatMap(({ index: { name }, covers }): RefusedIndex[] => {
      const why = covers === 'none' ? WHY_NOT_JOINT : reason;
      return why === undefined ? [] : [{ name, reason: why }];
    });
    const candidates =
      reason === undefined ? orders.flatMap((order) => candidateFor(draft, order)) : [];
    return withFound(draft, { candidates, refused });
  },
};

/** Rows in index order come in small batches, so each costs about as much as two look-ups. */
const ROWS_PER_ORDERED_ROW = 2 * ROWS_PER_LOOKUP;

/** An index on the first sort key, and how many sort keys its order covers. */
interface IndexOrder {
  readonly index: IndexFacts;
  readonly covers: 'all' | 'first' | 'none';
}

const WHY_NOT_JOINT =
  'ORDER BY must name all of its values that no condition fixes, of one kind and in one direction';

function findOrder(draft: Draft, index: IndexFacts): IndexOrder | undefined {
  const { orderBy } = draft.data.shape.select;
  const [key] = orderBy;
  if (key === undefined || index.kind !== 'range' || !isOfRow(index)) return undefined;
  if (isOn(draft, index, key.expression)) {
    return { index, covers: orderBy.length === 1 ? 'all' : 'first' };
  }
  const terms = termsOf(index);
  const term = draft.conditions.termOf(key.expression);
  if (terms.length === 1 || term === undefined || !terms.includes(term)) return undefined;
  return { index, covers: hasJointOrder(draft, index) ? 'all' : 'none' };
}

/**
 * Whether the keys of an index on several terms sort as ORDER BY does: by all terms after those
 * that a condition fixes to one value. With a further term, rows with equal sort keys would be in
 * the order of that term, and not in the order of the region.
 */
function hasJointOrder(draft: Draft, index: IndexFacts): boolean {
  const { data, conditions } = draft;
  const { orderBy } = data.shape.select;
  const use = findUse(draft, 0, index);
  const terms = termsOf(index);
  const count = typeof use === 'string' ? 0 : use.fixed;
  const [fixed, varying] = [terms.slice(0, count), terms.slice(count)];
  const remaining = orderBy.filter(
    ({ expression }) => !fixed.includes(conditions.termOf(expression) ?? ''),
  );
  return (
    remaining.length === varying.length &&
    remaining.every(
      ({ expression, direction }, at) =>
        conditions.termOf(expression) === varying[at] &&
        direction === remaining[0]?.direction &&
        hasOneOrder(expression, data),
    )
  );
}

/** Why no index can give the rows in order. */
function whyNot(draft: Draft, others: BoundSelect['orderBy']): string | undefined {
  const { select } = draft.data.shape;
  // Rows that are not read, or read after others were given, must not be able to fail.
  const isSafe = select.projections.every(({ expression }) => neverFails(expression));
  if (!isSafe || !draft.conditions.areOthersSafe(new Set())) {
    return 'a row may fail, so all are read before the first is given';
  }
  if (!others.every(({ expression }) => hasOneOrder(expression, draft.data))) {
    return 'other sort keys may have no common order';
  }
  if (select.distinct && !isProjected(draft.data)) return 'DISTINCT may drop rows by other values';
  return undefined;
}

/** Rows that are equal to DISTINCT then have equal keys, and are neighbours in the index. */
function isProjected({ shape: { select }, columnNumberOf }: QueryFacts): boolean {
  const [key] = select.orderBy;
  if (key === undefined || key.projection !== undefined) return true;
  const sorted = columnNumberOf(key.expression);
  const isSorted = (value: BoundExpression): boolean => columnNumberOf(value) === sorted;
  return sorted >= 0 && select.projections.some(({ expression }) => isSorted(expression));
}

function candidateFor(draft: Draft, { index, covers }: IndexOrder): readonly AccessCandidate[] {
  const source = openIndex(draft, 0, index.name);
  if (covers === 'none') return [];
  const use = findUse(draft, 0, index);
  const isBounded = typeof use !== 'string';
  const keys = isBounded ? use.lookup.possible : EVERYTHING;
  if (source === undefined || !isOfOneKind(keys, source)) return [];
  const served = new Set(isBounded ? use.served : []);
  const others = draft.conditions.conjuncts.filter((conjunct) => !served.has(conjunct));
  const indexRows = countKeys(keys, source);
  const share = draft.estimator.selectivity(0, others);
  const neededRows = Math.min(draft.facts.neededRows / share, indexRows);
  // Rows of one key are read together.
  const rowsPerKey = indexRows / Math.min(countOrdered(draft, covers), indexRows || 1);
  const rows = Math.min(indexRows, Math.ceil(neededRows + rowsPerKey));
  const direction = directionOf(draft, index);
  const access = { kind: 'ordered', index, keys, direction, covers, rows } as const;
  return [indexCandidate(draft, access, rows * ROWS_PER_ORDERED_ROW)];
}

/** The direction of the sort key that is the last term of the index. */
function directionOf({ data, conditions }: Draft, index: IndexFacts): 'up' | 'down' {
  const last = termsOf(index).at(-1);
  const { orderBy } = data.shape.select;
  const key = orderBy.find(({ expression }) => conditions.termOf(expression) === last);
  return (key ?? orderBy[0])?.direction === 'desc' ? 'down' : 'up';
}

/** How many distinct values the covered sort keys may have together. */
function countOrdered({ data, estimator }: Draft, covers: IndexOrder['covers']): number {
  const { orderBy } = data.shape.select;
  const counted = covers === 'all' ? orderBy : orderBy.slice(0, 1);
  return counted.reduce(
    (product, { expression }) => product * estimator.distinct(data.columnNumberOf(expression)),
    1,
  );
}
