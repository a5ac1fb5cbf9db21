// Runs the plan of a query that reads rows, by the reference evaluator.

import type { Bounds } from '../../value/column-data.ts';
import type { Value } from '../../value/value.ts';
import type { KeysNode, ReferenceNode } from '../plan/plan-node.ts';
import { executeReference } from '../reference/execute-reference.ts';
import type { QuerySource, SourceEntry, SourceRegion } from '../reference/query-source.ts';
import type { RunContext } from '../reference/run-context.ts';
import type { Meter } from './meter.ts';

/** Runs the plan. A meter gets the rows and the time when the last row was found. */
export async function* runRows(
  node: ReferenceNode,
  source: QuerySource,
  context: RunContext,
  meter?: Meter,
): AsyncGenerator<readonly Value[]> {
  const { input, query } = node;
  const startedAt = context.now();
  const keyed = input && keyedSource(source, input, meter);
  let rows = 0;
  for await (const batch of executeReference(query, keyed ?? source, context)) {
    rows += batch.length;
    yield batch;
  }
  // Reading and computing take turns: their time is that of the result.
  meter?.addRows(node, rows, context.now() - startedAt);
}

/** The time limit is checked between batches. */
const KEYS_PER_BATCH = 32;

/**
 * A source that reads only the keys that a query can find: single keys by look-up, and ranges by a
 * scan from the first key to the last. A meter gets the entries.
 */
function keyedSource(source: QuerySource, node: KeysNode, meter: Meter | undefined): QuerySource {
  const { region: name, ranges, areSingle } = node;
  async function* read(region: SourceRegion): AsyncGenerator<readonly SourceEntry[]> {
    const batches = areSingle ? readKeys(region, ranges) : readRanges(region, ranges);
    for await (const batch of batches) {
      meter?.addRows(node, batch.length);
      yield batch;
    }
  }
  return {
    findRegion: async (requested) => {
      const region = await source.findRegion(requested);
      if (region === undefined || requested !== name) return region;
      const { type, size } = region;
      return { type, size, get: (key) => region.get(key), entries: () => read(region) };
    },
  };
}

async function* readKeys(
  region: SourceRegion,
  ranges: readonly Bounds<string>[],
): AsyncGenerator<readonly SourceEntry[]> {
  for (let start = 0; start < ranges.length; start += KEYS_PER_BATCH) {
    const batch: SourceEntry[] = [];
    for (const { low } of ranges.slice(start, start + KEYS_PER_BATCH)) {
      if (low !== undefined) batch.push(...(await readKey(region, low.key)));
    }
    yield batch;
  }
}

/**
 * A text that is not well-formed is no key, but may equal one after encoding. A text with NUL is no
 * key either, because some stores refuse it.
 */
function mayBeKey(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

async function readKey(region: SourceRegion, key: string): Promise<readonly SourceEntry[]> {
  const value = mayBeKey(key) ? await region.get(key) : undefined;
  return value === undefined ? [] : [{ key, value }];
}

async function* readRanges(
  region: SourceRegion,
  ranges: readonly Bounds<string>[],
): AsyncGenerator<readonly SourceEntry[]> {
  for (const { low, high } of ranges) {
    if (low?.inclusive === true) yield await readKey(region, low.key);
    const after = low !== undefined && mayBeKey(low.key) ? low.key : undefined;
    for await (const batch of region.entries(after)) {
      const last = batch.at(-1);
      yield batch.filter(({ key }) => (low === undefined || key > low.key) && isBelow(key, high));
      if (last !== undefined && !isBelow(last.key, high)) break;
    }
  }
}

function isBelow(key: string, high: Bounds<string>['high']): boolean {
  if (high === undefined) return true;
  return high.inclusive ? key <= high.key : key < high.key;
}
