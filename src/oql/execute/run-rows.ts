// Runs the plan of a query that reads rows, by the reference evaluator.

import type { Value } from '../../value/value.ts';
import type { ReferenceNode } from '../plan/plan-node.ts';
import { executeReference } from '../reference/execute-reference.ts';
import type { QuerySource } from '../reference/query-source.ts';
import type { RunContext } from '../reference/run-context.ts';
import { keyedSource } from './keyed-source.ts';
import type { Meter } from './meter.ts';

/** Measured, if a meter is given, when the last row was found. */
export async function* runRows(
  node: ReferenceNode,
  source: QuerySource,
  context: RunContext,
  meter?: Meter,
): AsyncGenerator<readonly Value[]> {
  const { input, query } = node;
  const begun = context.now();
  let entries = 0;
  const keyed = input && keyedSource(source, input.sought, (read) => (entries += read));
  let rows = 0;
  for await (const batch of executeReference(query, keyed ?? source, context)) {
    rows += batch.length;
    yield batch;
  }
  meter?.add(node, { rows, ms: context.now() - begun });
  // Reading and computing take turns: their time is that of the result.
  if (input !== undefined) meter?.add(input, { rows: entries, ms: 0 });
}
