// Point queries answered from an index and the store, without a snapshot. The index has the keys as
// of commit S; entries last written at or before S are the same as at S. If one was written or
// removed since then, the query is executed as usual.

import type { ColumnStore } from '../../columns/index.ts';
import type { MaybePromise, Region, StoredEntry } from '../../engine/engine.ts';
import {
  type BoundQuery,
  bindParameters,
  findPointQuery,
  findPointRows,
  type IndexFacts,
  OqlError,
  type ParameterRequest,
  type PointQuery,
  type RunContext,
} from '../../oql/index.ts';
import type { Value } from '../../value/value.ts';
import { andThen } from '../and-then.ts';
import type { KnownQuery } from './compiled-queries.ts';
import type { IndexUses } from './index-uses.ts';
import type { RegionHandles } from './region-handles.ts';
import type { RegionIndexes } from './region-indexes.ts';

/** Maximum rows. A query with more is executed in batches, which yield to other requests. */
const MAX_ROWS = 128;
/** Keys read at a time; the size of the result is checked between two reads. */
const READ_AT_A_TIME = 32;
/** UTF-16 code units of a result; a longer one is streamed. */
const MAX_UNITS = 256 * 1024;

/** The whole result. */
export interface PointResult {
  readonly rows: number;
  /** The rows joined by commas. */
  readonly json: string;
}

/** The context in which a compiled query is run. */
export interface KnownRequest {
  readonly parameters: readonly ParameterRequest[];
  readonly form?: RunContext['form'];
}

const NO_ROWS: PointResult = { rows: 0, json: '' };

/** A point query and its index, valid for one set of indexes. */
interface PlannedPoint {
  readonly indexes: RegionIndexes;
  readonly point: PointQuery | undefined;
  readonly index: PointIndex | undefined;
}

/** In order, as of a commit. */
interface FoundKeys {
  readonly keys: readonly string[];
  readonly sequence: number;
}

interface PointIndex {
  readonly facts: IndexFacts;
  /** Its name in the columns. */
  readonly name: string;
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

  /** Undefined when the query must be executed. */
  find(
    query: BoundQuery,
    indexes: RegionIndexes,
    { form, parameters }: Pick<RunContext, 'form' | 'parameters'>,
  ): MaybePromise<PointResult | undefined> {
    const planned = this.#plan(query, indexes);
    return this.#lookUp(planned, { parameters, form });
  }

  /** `find` for a query that was compiled before; undefined for errors too, which execution reports. */
  findKnown(
    { query, literal }: KnownQuery,
    indexes: RegionIndexes,
    { form, parameters }: KnownRequest,
  ): MaybePromise<PointResult | undefined> {
    const planned = this.#plan(query, indexes);
    if (planned.index === undefined) return undefined;
    if (literal !== undefined) {
      return parameters.length > 0
        ? undefined
        : this.#lookUp(planned, { parameters: [], literal, form });
    }
    const values = findParameters(query, parameters);
    return values && this.#lookUp(planned, { parameters: values, form });
  }

  #lookUp(
    { point, index }: PlannedPoint,
    { form, literal, parameters }: Pick<RunContext, 'form' | 'parameters'> & { literal?: Value },
  ): MaybePromise<PointResult | undefined> {
    if (point === undefined || index === undefined) return undefined;
    const { lookup } = point;
    const keys = lookup.keysIn(index.facts, parameters, literal);
    if (keys === undefined) return undefined;
    const found = this.#columns.findKeys(lookup.region, index.name, (source) =>
      findPointRows(keys, source, MAX_ROWS),
    );
    if (found === undefined) return undefined;
    this.#uses.count(index.facts);
    return found.keys.length === 0 ? NO_ROWS : this.#read(point, found, form);
  }

  /** Undefined when one of the entries changed since the index was updated. */
  #read(
    point: PointQuery,
    found: FoundKeys,
    form: RunContext['form'],
  ): MaybePromise<PointResult | undefined> {
    const name = point.lookup.region;
    return andThen(
      this.#handles.known(name) ?? this.#handles.open(name),
      (region) => region && this.#print(point, found, region, form),
    );
  }

  #print(
    { lookup, printRow }: PointQuery,
    { keys, sequence }: FoundKeys,
    region: Region,
    form: RunContext['form'],
  ): MaybePromise<PointResult | undefined> {
    const rows: string[] = [];
    let units = 0;
    const printFrom = (start: number): MaybePromise<PointResult | undefined> => {
      const end = start + READ_AT_A_TIME;
      return andThen(region.read(keys.slice(start, end)), (entries) => {
        if (!entries.every((entry) => isUnchanged(entry, sequence))) {
          this.#handles.forget(lookup.region);
          return undefined;
        }
        for (const { value } of entries) {
          const row = printRow(value, form);
          rows.push(row);
          units += row.length;
        }
        if (end >= keys.length) return { rows: keys.length, json: rows.join() };
        return units > MAX_UNITS ? undefined : printFrom(end);
      });
    };
    return printFrom(0);
  }

  #plan(query: BoundQuery, indexes: RegionIndexes): PlannedPoint {
    const earlier = this.#planned.get(query);
    if (earlier?.indexes === indexes) return earlier;
    const point = findPointQuery(query);
    const planned = { indexes, point, index: point && findIndex(point, indexes) };
    this.#planned.set(query, planned);
    return planned;
  }
}

function isUnchanged(entry: StoredEntry | undefined, sequence: number): entry is StoredEntry {
  return entry !== undefined && entry.version <= sequence;
}

/** The index that the look-up chooses among those that columns can fill. */
function findIndex({ lookup }: PointQuery, indexes: RegionIndexes): PointIndex | undefined {
  const names = new Map<IndexFacts, string>();
  for (const { facts, requested } of indexes.get(lookup.region) ?? []) {
    if (requested !== undefined) names.set(facts, requested.name);
  }
  const facts = lookup.chooseIndex([...names.keys()]);
  return facts && { facts, name: names.get(facts) ?? '' };
}

/** Undefined if they do not match the query. */
function findParameters(
  query: BoundQuery,
  requests: readonly ParameterRequest[],
): RunContext['parameters'] | undefined {
  try {
    // A point query calls no function, so it does not depend on the time.
    return bindParameters(query, requests, 0);
  } catch (error) {
    if (error instanceof OqlError) return undefined;
    throw error;
  }
}
