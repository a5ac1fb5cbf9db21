// Point queries answered from an index and the store, without a snapshot: the index tells the keys
// as of commit S; entries that were last written at S or before are as they were at S. Where one was
// written or removed meanwhile, the query is left to the usual way.

import type { ColumnStore } from '../../columns/index.ts';
import {
  type BoundQuery,
  bindParameters,
  findPointQuery,
  type IndexFacts,
  joinKeys,
  OqlError,
  type ParameterRequest,
  type PointKey,
  type PointQuery,
  type RunContext,
  termsOf,
} from '../../oql/index.ts';
import type { KnownQuery } from './compiled-queries.ts';
import type { IndexUses } from './index-uses.ts';
import type { RegionHandles } from './region-handles.ts';
import type { RegionIndexes } from './region-indexes.ts';

/** More than these are better read in batches, with other requests in between. */
const MOST_ROWS = 128;
/** Keys that are read at a time; between two reads the result is looked at for its length. */
const READ_AT_A_TIME = 32;
/** UTF-16 code units of a result; a longer one is streamed. */
const MOST_UNITS = 256 * 1024;

/** The whole result. */
export interface PointResult {
  readonly rows: number;
  /** The rows joined by commas. */
  readonly json: string;
}

/** What a query that was compiled before is run with. */
export interface KnownRequest {
  readonly parameters: readonly ParameterRequest[];
  readonly form?: RunContext['form'];
}

const NO_ROWS: PointResult = { rows: 0, json: '' };

/** A point query and the index that serves it, good for one set of indexes. */
interface PlannedPoint {
  readonly indexes: RegionIndexes;
  readonly point: PointQuery | undefined;
  readonly index: PointIndex | undefined;
}

interface PointIndex {
  readonly facts: IndexFacts;
  /** As columns know it. */
  readonly name: string;
  /** Which key of the query each term of the index takes; one alone is the key itself. */
  readonly order: readonly number[];
}

export class PointLookups {
  readonly #handles: RegionHandles;
  readonly #columns: ColumnStore;
  readonly #uses: IndexUses;
  readonly #planned = new WeakMap<BoundQuery, PlannedPoint>();

  constructor(handles: RegionHandles, columns: ColumnStore, uses: IndexUses) {
    this.#handles = handles;
    this.#columns = columns;
    this.#uses = uses;
  }

  /** Undefined when the result cannot be had this way. */
  find(
    query: BoundQuery,
    indexes: RegionIndexes,
    { form, parameters }: Pick<RunContext, 'form' | 'parameters'>,
  ): PointResult | Promise<PointResult | undefined> | undefined {
    const planned = this.#plan(query, indexes);
    return this.#lookUp(planned, planned.point?.keys(parameters), form);
  }

  /** The same for a query that was compiled before; what is wrong with it is left to others to tell. */
  findKnown(
    { query, literal }: KnownQuery,
    indexes: RegionIndexes,
    { form, parameters }: KnownRequest,
  ): PointResult | Promise<PointResult | undefined> | undefined {
    const planned = this.#plan(query, indexes);
    const { point } = planned;
    if (point === undefined) return undefined;
    if (literal !== undefined) {
      if (parameters.length > 0) return undefined;
      return this.#lookUp(planned, point.keys([], literal), form);
    }
    const values = findParameters(query, parameters);
    return values && this.#lookUp(planned, point.keys(values), form);
  }

  #lookUp(
    { point, index }: PlannedPoint,
    keys: readonly PointKey[] | undefined,
    form: RunContext['form'],
  ): PointResult | Promise<PointResult | undefined> | undefined {
    if (point === undefined || index === undefined || keys === undefined) return undefined;
    const [first, ...others] = keys;
    const value = others.length === 0 ? first : joinKeys(index.order.map((at) => keys[at]));
    if (value === undefined) return undefined;
    const found = this.#columns.findKeys(point.region, index.name, value, MOST_ROWS);
    if (found === undefined) return undefined;
    this.#uses.count(index.facts);
    return found.keys.length === 0 ? NO_ROWS : this.#read(point, found, form);
  }

  /** Undefined when one of the entries is no longer as the index knew it. */
  async #read(
    point: PointQuery,
    { keys, sequence }: { readonly keys: readonly string[]; readonly sequence: number },
    form: RunContext['form'],
  ): Promise<PointResult | undefined> {
    const name = point.region;
    const region = this.#handles.known(name) ?? (await this.#handles.open(name));
    if (region === undefined) return undefined;
    const rows: string[] = [];
    let units = 0;
    for (let start = 0; start < keys.length; start += READ_AT_A_TIME) {
      const read = region.read(keys.slice(start, start + READ_AT_A_TIME));
      for (const entry of await read) {
        const isAsKnown = entry !== undefined && entry.version <= sequence;
        if (!isAsKnown) this.#handles.forget(name);
        if (!isAsKnown || units > MOST_UNITS) return undefined;
        const row = point.printRow(entry.value, form);
        rows.push(row);
        units += row.length;
      }
    }
    return { rows: keys.length, json: rows.join() };
  }

  #plan(query: BoundQuery, indexes: RegionIndexes): PlannedPoint {
    const known = this.#planned.get(query);
    if (known?.indexes === indexes) return known;
    const point = findPointQuery(query);
    const planned = { indexes, point, index: point && findIndex(point, indexes) };
    this.#planned.set(query, planned);
    return planned;
  }
}

/** An index on just what the query seeks, which tells the rows of each value. */
function findIndex({ region, terms }: PointQuery, indexes: RegionIndexes): PointIndex | undefined {
  for (const { facts, wanted } of indexes.get(region) ?? []) {
    const order = termsOf(facts).map((term) => terms.indexOf(term));
    const isWhole = order.length === terms.length && !order.includes(-1);
    if (isWhole && wanted !== undefined && facts.kind !== 'key')
      return { facts, name: wanted.name, order };
  }
  return undefined;
}

/** Undefined where they do not fit the query. */
function findParameters(
  query: BoundQuery,
  requests: readonly ParameterRequest[],
): RunContext['parameters'] | undefined {
  try {
    // A point query has no function, so that no moment matters to it.
    return bindParameters(query, requests, 0);
  } catch (error) {
    if (error instanceof OqlError) return undefined;
    throw error;
  }
}
