// The result of each line with the reference evaluator, computed once for the files of one process: some
// lines join a million pairs of rows.

import { bindParameters, withQueryTime } from '../../src/oql/bind/parameters.ts';
import { type MemoryRegions, MemorySource } from '../../src/oql/reference/testing/memory-source.ts';
import {
  bindText,
  createContext,
  evaluateReference,
  TEST_TIME,
} from '../../src/oql/reference/testing/run-query.ts';
import { parseJson } from '../../src/value/json-parse.ts';
import type { List, Value } from '../../src/value/value.ts';
import { type CorpusLine, untag } from './corpus-line.ts';
import { buildDataSet } from './data-sets.ts';

const results = new Map<string, Promise<Value>>();
const dataSets = new Map<string, MemoryRegions>();

/** The regions of a data set, built once. */
export function dataSetOf(name: string): MemoryRegions {
  const built = dataSets.get(name) ?? buildDataSet(name);
  dataSets.set(name, built);
  return built;
}

/** Rejects if the line fails. Rows come in the order of their keys, as from an engine. */
export function referenceResult(line: CorpusLine): Promise<Value> {
  const result = results.get(line.id) ?? run(line);
  results.set(line.id, result);
  return result;
}

/** Passes regions with dates, which JSON cannot express, as bound collections. */
async function run({ dataSet = 'none', oql, params }: CorpusLine): Promise<Value> {
  const regions = dataSetOf(dataSet);
  if (dataSet !== 'dates240') return execute(oql, regions, params);
  const values = (regions['test']?.entries ?? []).map(({ value }) => untag(parseJson(value)));
  return execute(oql.replace('/test', '$1'), {}, [values]);
}

async function execute(text: string, regions: MemoryRegions, params: List): Promise<Value> {
  const query = bindText(text, regions);
  if (params.length < query.parameters.numbered) bindParameters(query, [], 0);
  return evaluateReference(
    query,
    new MemorySource(regions),
    createContext(withQueryTime(query, params, TEST_TIME)),
  );
}
