// Uses indexes in joins: to read the build side, or to look up the matches of each row if there are
// few rows.

import { printAmount } from '../../../value/print-amount.ts';
import type { IndexFacts } from '../../columnar/column-source.ts';
import {
  type Draft,
  indexesOf,
  isOn,
  openIndex,
  ROWS_PER_LOOKUP,
  type Rule,
  withFound,
} from '../draft.ts';
import { countUse, findUse } from '../find-lookup.ts';
import { JoinOrders } from '../join-order.ts';
import type { JoinMethod, RefusedIndex } from '../plan-node.ts';
import { cannotFail } from '../safety.ts';

/** Reads the build side of a join through an index on one of its conditions. */
export const buildFromIndex: Rule = {
  name: 'build-from-index',
  apply(draft) {
    return draft.joins.reduce(readBuild, draft);
  },
};

function readBuild(draft: Draft, join: JoinMethod | undefined): Draft {
  if (join?.kind === 'left-join') return refuseAll(draft, join.stage);
  if (join?.kind !== 'hash-join' && join?.kind !== 'cross-join') return draft;
  const { stage, build } = join;
  const refused: RefusedIndex[] = [];
  const { size } = draft.data.tableOf(stage);
  let { access } = build.input;
  for (const index of indexesOf(draft, stage)) {
    const use = findUse(draft, stage, index);
    if (typeof use === 'string') {
      refused.push({ name: index.name, reason: use });
      continue;
    }
    const rows = countUse(draft, stage, use);
    if (rows * ROWS_PER_LOOKUP > size) {
      const reason = `it would read ${printAmount(rows, 'row')}; a scan is cheaper`;
      refused.push({ name: index.name, reason });
    } else if (access.kind !== 'lookup' || rows < access.rows) {
      access = { kind: 'lookup', uses: [use], rows };
    }
  }
  const found = withFound(draft, { refused });
  if (access === build.input.access) return found;
  return withJoin(found, { ...join, build: { ...build, input: { ...build.input, access } } });
}

/** Conditions of WHERE are no conditions on the right side of a LEFT JOIN. */
function refuseAll(draft: Draft, stage: number): Draft {
  const reason = 'the right side of a LEFT JOIN is read without an index';
  const refused = indexesOf(draft, stage).map(({ name }) => ({ name, reason }));
  return withFound(draft, { refused });
}

/** Replaces a hash join by index look-ups if they cost less than building the hash table. */
export const joinThroughIndex: Rule = {
  name: 'join-through-index',
  apply(draft) {
    const { access, joins } = draft;
    const indexed = joins.flatMap((join) => withInnerIndex(draft, join) ?? []);
    if (indexed.length === 0) return draft;
    const rows = new JoinOrders(draft).rowsAlong(access);
    return indexed.reduce((current, { join, index }) => {
      const { stage, equality } = join;
      const reason = whyNotLookUp(draft, join, index, rows[stage - 1] ?? 0);
      return reason === undefined
        ? withJoin(current, { kind: 'index-join', stage, equality, index })
        : withFound(current, { refused: [{ name: index.name, reason }] });
    }, draft);
  },
};

/** A hash join with the index on its inner key. */
function withInnerIndex(draft: Draft, join: JoinMethod | undefined) {
  if (join?.kind !== 'hash-join' || join.equality.keys !== 'columns') return undefined;
  const { stage, equality } = join;
  const index = indexesOf(draft, stage).find(
    (each) => isOn(draft, each, equality.inner) && openIndex(draft, stage, each.name) !== undefined,
  );
  return index && { join, index };
}

/** Why the matches of `before` rows are not looked up; undefined if they are. */
function whyNotLookUp(
  draft: Draft,
  join: Extract<JoinMethod, { kind: 'hash-join' }>,
  index: IndexFacts,
  before: number,
): string | undefined {
  const { stage } = join;
  const { data, estimator, filters } = draft;
  // A row that fails counts even without a match, so all rows would be evaluated.
  if (filters[stage]?.some((each) => !cannotFail(each, data)) === true) {
    return 'a condition on the region may fail, so all its rows must be evaluated';
  }
  if (join.keeps === 'unknown') return 'a condition between regions may fail';
  if (data.shape.select.hints.includes(index.name)) return undefined;
  const columnNumber = data.columnNumberOf(join.equality.inner);
  const matches = estimator.rows(stage) / Math.max(1, estimator.distinct(columnNumber));
  const built = join.build.input.access.rows * 2;
  if (before * (8 + matches * ROWS_PER_LOOKUP) <= built) return undefined;
  return `${printAmount(Math.ceil(before), 'row')} would be looked up; a hash join is cheaper`;
}

function withJoin(draft: Draft, join: JoinMethod): Draft {
  return { ...draft, joins: draft.joins.with(join.stage, join) };
}
