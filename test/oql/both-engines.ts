// Runs one query on one snapshot twice: over columns, and with the reference evaluator.

import assert from 'node:assert/strict';
import { ColumnStore } from '../../src/columns/index.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { IndexDefinition } from '../../src/engine/index-definition.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { createColumnSource, pinRegions } from '../../src/grid/query/open-columns.ts';
import { readPointOf } from '../../src/grid/query/read-point.ts';
import { describeIndexes, type RegionIndexes } from '../../src/grid/query/region-indexes.ts';
import { createSnapshotSource } from '../../src/grid/query/snapshot-source.ts';
import type { Catalog } from '../../src/oql/bind/catalog.ts';
import { withQueryTime } from '../../src/oql/bind/parameters.ts';
import { shapeSelect } from '../../src/oql/columnar/shape.ts';
import { OqlError } from '../../src/oql/errors.ts';
import { executeQuery, prepareQuery } from '../../src/oql/execute/execute-query.ts';
import { planVector } from '../../src/oql/execute/vector/execute-vector.ts';
import { JsonWriter } from '../../src/oql/execute/vector/output/json-writer.ts';
import { runPlan } from '../../src/oql/execute/vector/run-plan.ts';
import { FallBackToRows } from '../../src/oql/execute/vector/runtime.ts';
import { bindQuery, parseQuery } from '../../src/oql/index.ts';
import { usefulIndexes } from '../../src/oql/plan/useful-indexes.ts';
import { executeReference } from '../../src/oql/reference/execute-reference.ts';
import type { RunContext } from '../../src/oql/reference/run-context.ts';
import { TEST_TIME } from '../../src/oql/reference/testing/run-query.ts';
import { printJson } from '../../src/value/json-print.ts';
import type { Value } from '../../src/value/value.ts';

/** Rows as JSON, or the failure. */
export interface Outcome {
  readonly rows: string;
  readonly failure: string | undefined;
  /** The message of the failure, with its position in the text. */
  readonly message?: string | undefined;
}

export interface BothOutcomes {
  readonly reference: Outcome;
  /** The answer of the service; undefined for a query that ran over columns unchanged. */
  readonly answer: Outcome | undefined;
  /** Undefined when the query does not run over columns. */
  readonly vector: Outcome | undefined;
  /** Why the query fell back from columns; `vector` has the rows until then. */
  readonly fallback: string | undefined;
  /** Rules of the planner that were applied. */
  readonly rules: readonly string[];
}

export interface BothRequest {
  readonly engine: Engine;
  readonly store: ColumnStore;
  readonly catalog: Catalog;
  readonly text: string;
  readonly parameters?: readonly Value[];
  readonly indexes?: RegionIndexes;
  /** An earlier result of the reference evaluator for the same query and data. */
  readonly reference?: Outcome | undefined;
  /** Called at every yield point of the columns and of a fallback; the reference runs at once. */
  readonly pause?: () => Promise<void>;
}

export function openStore(engine: Engine): ColumnStore {
  const store = new ColumnStore(1 << 30, engine.stats().sequence);
  engine.subscribe({
    onCommit: (commit) => store.commit(commit),
    onReset: (sequence) => store.reset(sequence),
  });
  return store;
}

/** Index definitions of regions, as columns need them. */
export function indexRegions(
  definitions: Readonly<Record<string, readonly IndexDefinition[]>>,
  catalog: Catalog,
): RegionIndexes {
  const regions = Object.entries(definitions).map(([name, indexes]) => ({
    ...plainRegion(name),
    indexes,
    entryCount: 0,
    valueBytes: 0,
  }));
  return describeIndexes(regions, catalog);
}

export function indexRegion(
  region: string,
  catalog: Catalog,
  indexes: readonly IndexDefinition[],
): RegionIndexes {
  return indexRegions({ [region]: indexes }, catalog);
}

export async function runBoth(request: BothRequest): Promise<BothOutcomes> {
  const { engine, store, catalog, text } = request;
  const query = bindQuery(parseQuery(text), catalog);
  let clock = 0;
  const context: RunContext = {
    parameters: withQueryTime(query, request.parameters ?? [], TEST_TIME),
    // Each reading of the clock uses up a slice, so that the query yields at every yield point.
    now: () => {
      if (request.pause !== undefined) clock += 2;
      return clock;
    },
    pause: request.pause ?? (async () => undefined),
  };
  const pins = pinRegions(store, query.regions);
  const snapshot = await engine.openSnapshot();
  try {
    const pacer = { isSliceOver: () => request.pause !== undefined, pause: context.pause };
    const columns = createColumnSource(readPointOf(snapshot, catalog), pins, request.indexes);
    const source = createSnapshotSource(snapshot, catalog);
    const folded = await prepareQuery(query, { columns, source, context }, 'kept');
    const shape = shapeSelect(folded.body);
    let vector: Outcome | undefined;
    let rules: readonly string[] = [];
    let fallback: string | undefined = 'select' in shape ? undefined : shape.reason;
    if ('select' in shape) {
      const { indexes, requests } = usefulIndexes(shape, columns);
      const tables = await columns.openTables(requests, pacer);
      if (tables === undefined) fallback = 'no tables';
      else {
        const decoder = new TextDecoder();
        const pieces: string[] = [];
        let failure: Failure | undefined;
        try {
          const plan = planVector({ query: folded, shape, tables, context, indexes });
          rules = plan.rules;
          for await (const { json } of runPlan(plan, context, new JsonWriter())) {
            pieces.push(decoder.decode(json));
          }
        } catch (error) {
          if (error instanceof FallBackToRows) fallback = error.message;
          else failure = describeFailure(error);
        }
        vector = { rows: pieces.join(), failure: undefined, ...failure };
      }
    }
    const isUnchanged = folded === query && vector !== undefined && fallback === undefined;
    const answer = isUnchanged
      ? undefined
      : await collectAnswer(executeQuery(query, { columns, source, context }));
    const steady = { parameters: context.parameters, now: () => 0, pause: async () => undefined };
    const reference =
      request.reference ?? (await collectRows(executeReference(query, source, steady)));
    if (answer !== undefined) assert.equal(answer.message, reference.message, text);
    return { reference, answer, vector, fallback, rules };
  } finally {
    snapshot.close();
    for (const pin of pins.values()) pin.release();
  }
}

async function collectRows(batches: AsyncIterable<readonly Value[]>): Promise<Outcome> {
  const rows: string[] = [];
  try {
    for await (const batch of batches) rows.push(...batch.map((value) => printJson(value)));
    return { rows: rows.join(), failure: undefined };
  } catch (error) {
    return { rows: rows.join(), ...describeFailure(error) };
  }
}

async function collectAnswer(
  pieces: AsyncIterable<{ readonly json: Uint8Array }>,
): Promise<Outcome> {
  const decoder = new TextDecoder();
  const rows: string[] = [];
  try {
    for await (const { json } of pieces) rows.push(decoder.decode(json));
    return { rows: rows.join(), failure: undefined };
  } catch (error) {
    return { rows: rows.join(), ...describeFailure(error) };
  }
}

type Failure = Required<Pick<Outcome, 'failure' | 'message'>>;

function describeFailure(error: unknown): Failure {
  if (error instanceof OqlError) return { failure: error.failure, message: error.message };
  throw error;
}
