// HAVING, SELECT, DISTINCT, ORDER BY and LIMIT of groups, by the reference evaluator, because
// groups are few. If they are many, only one is materialised at a time, unless they have to be
// sorted.

import { type Group, isRowFailure } from '../../../reference/environment.ts';
import { RowBudget } from '../../../reference/row-budget.ts';
import type { Row, Run } from '../../../reference/run.ts';
import { selectGroups } from '../../../reference/select-rows.ts';
import { sortIndexes } from '../../../reference/sort-in-slices.ts';
import { type Flow, PAUSE } from '../../../reference/steps.ts';
import { FallBackToRows, type Runtime } from '../runtime.ts';
import type { Groups } from './grouper.ts';

/** The result rows of all groups. */
export function* finishGroups(runtime: Runtime, groups: Groups, run: Run): Flow<Row> {
  try {
    // Groups were counted against the row limit when they were opened.
    const counted = { ...run, budget: new RowBudget() };
    yield* selectGroups(sortGroups(groups, run), runtime.compiled, counted);
  } catch (error) {
    throw isRowFailure(error) ? new FallBackToRows('a group fails', { cause: error }) : error;
  }
}

/** In ascending order of their keys. */
function* sortGroups(groups: Groups, run: Run): Flow<Group> {
  for (const group of yield* sortIndexes(groups.size, groups.order, run)) {
    yield groups.group(group);
    if (run.pacer.isDue()) yield PAUSE;
  }
}
