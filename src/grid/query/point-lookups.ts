// Point queries answered from an index and the store, without a snapshot: the index tells the keys
// as of commit S; entries that were last written at S or before are as they were at S. Where one was
// written or removed meanwhile, the query is left to the usual way.

import type { ColumnStore } from '../../columns/index.ts';
import type { Engine, Region } from '../../engine/engine.ts';
import {
  type BoundQuery,
  findPointQuery,
  type PointQuery,
  type RunContext,
} from '../../oql/index.ts';
import type { RegionIndex, RegionIndexes } from './region-indexes.ts';

/** More than these are better read in batches. */
const MOST_ROWS = 16;

/** A point query and the index that serves it, good for one set of indexes. */
interface PlannedPoint {
  readonly indexes: RegionIndexes;
  readonly point: PointQuery | undefined;
  readonly indexName: string | undefined;
}

export class PointLookups {
  readonly #engine: Engine;
  readonly #columns: ColumnStore;
  readonly #planned = new WeakMap<BoundQuery, PlannedPoint>();
  /** A handle of a region that is gone finds no entries, and is then let go. */
  readonly #regions = new Map<string, Region>();

  constructor(engine: Engine, columns: ColumnStore) {
    this.#engine = engine;
    this.#columns = columns;
  }

  /** The whole result, rows joined by commas; undefined when it cannot be had this way. */
  async find(
    query: BoundQuery,
    indexes: RegionIndexes,
    parameters: RunContext['parameters'],
  ): Promise<{ readonly rows: number; readonly json: string } | undefined> {
    const { point, indexName } = this.#plan(query, indexes);
    if (point === undefined || indexName === undefined) return undefined;
    const value = point.key(parameters);
    if (value === undefined) return undefined;
    const found = this.#columns.findKeys(point.region, indexName, value, MOST_ROWS);
    if (found === undefined) return undefined;
    if (found.keys.length === 0) return { rows: 0, json: '' };
    const texts = await this.#read(point.region, found);
    return texts && { rows: texts.length, json: texts.map(point.printRow).join() };
  }

  /** The stored texts; undefined when one of the entries is no longer as the index knew it. */
  async #read(
    name: string,
    { keys, sequence }: { readonly keys: readonly string[]; readonly sequence: number },
  ): Promise<readonly string[] | undefined> {
    const region = this.#regions.get(name) ?? (await this.#engine.openRegion(name));
    if (region === undefined) return undefined;
    this.#regions.set(name, region);
    const texts: string[] = [];
    for (const entry of await region.read(keys)) {
      if (entry === undefined || entry.version > sequence) {
        this.#regions.delete(name);
        return undefined;
      }
      texts.push(entry.value);
    }
    return texts;
  }

  #plan(query: BoundQuery, indexes: RegionIndexes): PlannedPoint {
    const known = this.#planned.get(query);
    if (known?.indexes === indexes) return known;
    const point = findPointQuery(query);
    const index = point && indexes.get(point.region)?.find((each) => holds(each, point.members));
    const planned = { indexes, point, indexName: index?.wanted?.name };
    this.#planned.set(query, planned);
    return planned;
  }
}

/** Whether an index is on the values at a path, and tells the rows of each. */
function holds({ facts, wanted }: RegionIndex, members: readonly string[]): boolean {
  const [path, ...items] = facts.path ?? [];
  if (path === undefined || items.length > 0 || wanted === undefined) return false;
  const isSame = path.length === members.length && path.every((name, i) => name === members[i]);
  return isSame && facts.kind !== 'key';
}
