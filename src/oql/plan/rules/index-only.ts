// Index-only plans: queries that an index answers alone, or with one row per key. These are
// COUNT(*) whose conditions the index decides, MIN and MAX, and DISTINCT of the indexed value.

import type { BoundAggregate, BoundExpression } from '../../bind/bound-query.ts';
import type { IndexFacts } from '../../columnar/column-source.ts';
import { isOfRow } from '../../columnar/terms.ts';
import {
  type AccessCandidate,
  type Draft,
  indexCandidate,
  indexesOf,
  isOn,
  openIndex,
  ROWS_PER_LOOKUP,
  type Rule,
  withFound,
} from '../draft.ts';
import { findUse } from '../find-lookup.ts';
import { countKeys, EVERYTHING, isAnswered, isOfOneKind } from '../lookup.ts';
import type { IndexKeys } from '../plan-node.ts';

/** Counting so many keys of an index costs about as much as scanning a row. */
const KEYS_PER_ROW = 8;
/** Finding the first visible row of a key costs about as much as four look-ups. */
const ROWS_PER_KEY = 4 * ROWS_PER_LOOKUP;

/** `SELECT COUNT(*) … WHERE o.n > 5`: counts keys, and reads no row. */
export const countFromIndex: Rule = {
  name: 'count-from-index',
  apply(draft) {
    const { select } = draft.data.shape;
    if (select.shape !== 'count' || select.distinct || select.where === undefined) return draft;
    if (draft.data.shape.iterators.length > 1) return draft;
    const candidates = indexesOf(draft, 0).flatMap((index): AccessCandidate[] => {
      const answer = findAnswer(draft, index);
      // A key index has no counts of its own.
      if (answer === undefined || index.kind === 'key') return [];
      const { keys, source } = answer;
      const rows = countKeys(keys, source);
      return [indexCandidate(draft, { kind: 'count', index, keys, rows }, rows / KEYS_PER_ROW)];
    });
    return withFound(draft, { candidates });
  },
};

/** `SELECT MIN(o.n), MAX(o.n)`: reads the first row of the lowest and of the highest key. */
export const minMaxFromIndex: Rule = {
  name: 'min-max-from-index',
  apply(draft) {
    const { grouping, hints } = draft.data.shape.select;
    if (grouping === undefined || grouping.keys.length > 0) return draft;
    if (draft.data.shape.iterators.length > 1 || grouping.aggregates.length === 0) return draft;
    const uses = findMinMax(draft, grouping.aggregates);
    if (uses === undefined) return draft;
    const rows = uses.length * 2;
    // With hints, the cost is below that of every hinted index.
    const cost = hints.length > 0 ? -hints.length - 1 : rows * ROWS_PER_LOOKUP;
    const access = { kind: 'min-max', uses, rows } as const;
    return withFound(draft, { candidates: [{ access, cost }] });
  },
};

/** An index for each MIN and MAX; undefined if one of them has none. */
function findMinMax(
  draft: Draft,
  aggregates: readonly BoundAggregate[],
): readonly IndexKeys[] | undefined {
  const uses = new Map<string, IndexKeys>();
  for (const { function: name, argument } of aggregates) {
    if ((name !== 'min' && name !== 'max') || argument === undefined) return undefined;
    const answer = findRangeAnswer(draft, argument);
    // Values without a common order fail, so all of them would have to be compared.
    if (!answer || !isOfOneKind(answer.keys, answer.source)) return undefined;
    const { index, keys } = answer;
    uses.set(index.name, { index, keys });
  }
  return [...uses.values()];
}

/** `SELECT DISTINCT o.s`: reads one row of each key instead of every row. */
export const distinctFromIndex: Rule = {
  name: 'distinct-from-index',
  apply(draft) {
    const { select, iterators } = draft.data.shape;
    const [projection, second] = select.projections;
    if (!select.distinct || select.grouping !== undefined || iterators.length > 1) return draft;
    if (projection === undefined || second !== undefined) return draft;
    // Of another sort key only the value in the first row of each key counts, and that row is read.
    if (!select.orderBy.every(({ expression }) => expression.kind === 'path')) return draft;
    const answer = findRangeAnswer(draft, projection.expression);
    if (answer === undefined) return draft;
    const { index, keys, source } = answer;
    const unkeyed = source.countUnkeyed('composite') + source.countUnkeyed('other');
    const rows =
      unkeyed + draft.estimator.distinct(draft.data.columnNumberOf(projection.expression));
    const access = { kind: 'distinct-keys', index, keys, rows: Math.ceil(rows) } as const;
    const candidate = indexCandidate(draft, access, rows * ROWS_PER_KEY);
    return withFound(draft, { candidates: [candidate] });
  },
};

function findRangeAnswer(draft: Draft, expression: BoundExpression) {
  const index = indexesOf(draft, 0).find(
    (each) =>
      each.kind === 'range' &&
      isOfRow(each) &&
      isOn(draft, each, expression) &&
      openIndex(draft, 0, each.name) !== undefined,
  );
  return index && findAnswer(draft, index);
}

/** The keys of exactly the rows that WHERE keeps, if the index alone decides it. */
function findAnswer(draft: Draft, index: IndexFacts) {
  const source = openIndex(draft, 0, index.name);
  if (source === undefined) return undefined;
  if (draft.data.shape.select.where === undefined) return { index, keys: EVERYTHING, source };
  const use = findUse(draft, 0, index);
  if (typeof use === 'string' || !isOfRow(index)) return undefined;
  if (use.served.length < draft.conditions.conjuncts.length) return undefined;
  return isAnswered(use.lookup, source) ? { index, keys: use.lookup.certain, source } : undefined;
}
