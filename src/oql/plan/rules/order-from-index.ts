// Reads rows in the order of a range index on the first ORDER BY path, so that nothing is left to
// sort, and with LIMIT the last wanted row is the last one read. Rows of one key come in the order
// of the region, as the sort would leave them.

import type { BoundSelect } from '../../bind/bound-query.ts';
import type { IndexFacts } from '../../columnar/column-source.ts';
import { neverFails } from '../../columnar/conjuncts.ts';
import {
  type Candidate,
  type Draft,
  indexesOf,
  isOfRow,
  openIndex,
  pathOf,
  ROWS_PER_LOOKUP,
  type Rule,
} from '../draft.ts';
import { findUse } from '../find-lookup.ts';
import { countKeys, EVERYTHING, isOfOneKind } from '../lookup.ts';
import { isSamePath } from '../path-use.ts';
import { hasOneOrder } from '../safety.ts';

export const orderFromIndex: Rule = {
  name: 'order-from-index',
  apply(draft) {
    const { select } = draft.runtime.shape;
    const [key, ...others] = select.orderBy;
    if (key?.expression.kind !== 'path' || select.grouping !== undefined) return draft;
    if (key.expression.iterator !== 0 || !isTextual(draft)) return draft;
    const path = pathOf(draft, key.expression);
    const indexes = indexesOf(draft, 0).filter(
      (index) => index.kind === 'range' && isOfRow(index) && isSamePath(index.path, path),
    );
    const reason = whyNot(draft, others);
    if (reason !== undefined) {
      const refused = indexes.map(({ name }) => ({ name, reason }));
      return refused.length === 0 ? draft : { ...draft, refused: [...draft.refused, ...refused] };
    }
    const found = indexes.flatMap((index) => candidateFor(draft, this.name, index));
    return found.length === 0 ? draft : { ...draft, candidates: [...draft.candidates, ...found] };
  },
};

/** Why no index can give the rows in order. */
function whyNot(draft: Draft, others: BoundSelect['orderBy']): string | undefined {
  const { select } = draft.runtime.shape;
  if (!canEndEarly(draft)) return 'a row may fail, so all are read before the first is given';
  if (!others.every(isSortable(draft))) return 'other sort keys may have no common order';
  if (select.distinct && !isProjected(select)) return 'DISTINCT may drop rows by other values';
  return undefined;
}

function isTextual({ order }: Draft): boolean {
  return order.every((iterator, place) => iterator === place);
}

/** Rows that are not read, or read after others were given, must not be able to fail. */
function canEndEarly(draft: Draft): boolean {
  const { select } = draft.runtime.shape;
  return (
    select.projections.every(({ expression }) => neverFails(expression)) &&
    draft.conditions.areOthersSafe(new Set())
  );
}

function isSortable(draft: Draft): (key: BoundSelect['orderBy'][number]) => boolean {
  return ({ expression }) => hasOneOrder(expression, draft.runtime);
}

/** Rows that DISTINCT takes for equal then have equal keys, and stand together in the index. */
function isProjected({ orderBy, projections }: BoundSelect): boolean {
  const [key] = orderBy;
  if (key?.projection !== undefined) return true;
  const sorted = key?.expression;
  return projections.some(
    ({ expression }) =>
      expression.kind === 'path' &&
      sorted?.kind === 'path' &&
      expression.iterator === sorted.iterator &&
      isSamePath([expression.members], [sorted.members]),
  );
}

function candidateFor(draft: Draft, rule: string, index: IndexFacts): readonly Candidate[] {
  const source = openIndex(draft, 0, index.name);
  const use = findUse(draft, 0, index);
  const isBounded = typeof use !== 'string';
  const keys = isBounded ? use.lookup.possible : EVERYTHING;
  if (source === undefined || !isOfOneKind(keys, source)) return [];
  const served = new Set(isBounded ? use.served : []);
  const others = draft.conditions.conjuncts.filter((conjunct) => !served.has(conjunct));
  const offered = countKeys(keys, source);
  const share = draft.estimator.share(0, others);
  const wanted = Math.min(draft.facts.wanted / share, offered);
  // Rows of one key are read together.
  const together = offered / Math.min(draft.estimator.distinct(slotOf(draft)), offered || 1);
  const rows = Math.min(offered, Math.ceil(wanted + together));
  const { hints, orderBy } = draft.runtime.shape.select;
  const hint = hints.indexOf(index.name);
  const direction = orderBy[0]?.direction === 'desc' ? 'down' : 'up';
  return [
    {
      rule,
      access: { kind: 'ordered', index, keys, direction, rows },
      // Before the same index is just looked up.
      cost: hint < 0 ? rows * ROWS_PER_LOOKUP * 2 : hint - hints.length - 0.5,
      indexes: [index.name],
    },
  ];
}

function slotOf({ runtime }: Draft): number {
  const key = runtime.shape.select.orderBy[0]?.expression;
  return key === undefined ? -1 : runtime.slotOf(key);
}
