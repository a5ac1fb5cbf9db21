// Parts of the reference evaluator that the vectorised executor uses.

import type { BoundRowCount } from '../../bind/bound-query.ts';
import { Pacer } from '../../reference/pacer.ts';
import type { Run } from '../../reference/run.ts';
import type { RunContext } from '../../reference/run-context.ts';
import { selectRows, toRowCount } from '../../reference/select-rows.ts';
import type { Runtime } from './runtime.ts';

/** LIMIT or OFFSET as a number; undefined if there is none. */
export function rowCount(
  runtime: Runtime,
  count: BoundRowCount | undefined,
  context: RunContext,
): number | undefined {
  if (count === undefined || count.kind === 'rows') return count?.rows;
  return toRowCount(count, runtime.compiled, createSteps(runtime, new Pacer(context, '')));
}

/** The context that the reference evaluator's generators need in a run over columns. */
export function createSteps(runtime: Runtime, pacer: Pacer): Run {
  return {
    environment: runtime.environment,
    pacer,
    budget: runtime.budget,
    sources: new Map(),
    selectRows,
    closing: [],
  };
}
