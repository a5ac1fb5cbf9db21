// The steps above a group node: HAVING and SELECT, DISTINCT, ORDER BY, LIMIT. Groups are values and
// few, so each step is an operator of the reference evaluator. If they are many, only one is
// materialised at a time, unless they have to be sorted.

import type { ResultNode, RowsNode } from '../../../plan/plan-node.ts';
import { type Group, isRowFailure } from '../../../reference/environment.ts';
import type { QueryRun, Row } from '../../../reference/query-run.ts';
import { distinctRows, limitRows, projectRows } from '../../../reference/select-rows.ts';
import { sortIndexes } from '../../../reference/sort-in-slices.ts';
import { sortRows } from '../../../reference/sort-rows.ts';
import { type Flow, isWait, PAUSE } from '../../../reference/steps.ts';
import { type Meter, measured } from '../../meter.ts';
import { FallBackToRows, type Runtime } from '../runtime.ts';
import type { Grouper } from './grouper.ts';

interface GroupSteps {
  readonly runtime: Runtime;
  readonly groups: Grouper;
  readonly run: QueryRun;
  readonly meter: Meter | undefined;
}

/** The result rows of the last step above the groups. */
export function* finishGroups(top: ResultNode | RowsNode, steps: GroupSteps): Flow<Row> {
  try {
    yield* openStep(top, steps);
  } catch (error) {
    throw isRowFailure(error) ? new FallBackToRows('a group fails', { cause: error }) : error;
  }
}

/** The measured rows of a step. */
function openStep(node: ResultNode | RowsNode, steps: GroupSteps): Flow<Row> {
  return measured(steps.meter, node, runStep(node, steps), (step) => (isWait(step) ? 0 : 1));
}

function runStep(node: ResultNode | RowsNode, steps: GroupSteps): Flow<Row> {
  const { runtime, run, groups } = steps;
  const { compiled } = runtime;
  switch (node.kind) {
    case 'group':
      return projectRows(sortGroups(groups, run), compiled, run);
    case 'distinct':
      return distinctRows(openStep(node.input, steps), compiled, run);
    case 'sort':
      return sortRows(openStep(node.input, steps), compiled, node.limit, run);
    case 'limit':
      return limitRows(openStep(node.input, steps), node.offset, node.limit);
    default:
      throw new Error('rows are not groups');
  }
}

/** In ascending order of their keys. */
function* sortGroups(groups: Grouper, run: QueryRun): Flow<Group> {
  for (const group of yield* sortIndexes(groups.size, groups.codes.order, run)) {
    yield groups.group(group);
    if (run.pacer.isDue()) yield PAUSE;
  }
}
