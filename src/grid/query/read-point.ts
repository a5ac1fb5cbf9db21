// The commit that a query reads at. Both columns in memory and a snapshot of the store can show it.
//
// Most queries need only columns. A snapshot of a remote store costs a round trip and a connection.
// So a query begins at the last commit that the columns include, and opens a snapshot only when
// something is not in memory. If the snapshot shows a later commit, the query restarts with it. So
// no row may be delivered before the query has ended or its snapshot is open.

import type { Engine, ReadSignal, Region, Snapshot, StoredEntry } from '../../engine/engine.ts';
import { EngineError } from '../../engine/errors.ts';
import type { Catalog } from '../../oql/index.ts';
import type { RegionType } from '../../value/region-words.ts';
import type { RegionHandles } from './region-handles.ts';

/** The use of a snapshot: filling columns, which later queries share, or the query itself. */
export type SnapshotUse = 'columns' | 'result';

/** The commit that a query reads at, and the ways to read it. */
export interface ReadPoint {
  readonly sequence: number;
  /** The snapshot of this commit; undefined until something needs it. */
  readonly snapshot: Snapshot | undefined;
  /** Undefined when there is no such region. */
  typeOf(region: string): RegionType | undefined;
  /** Throws `ReadPointPassed` when the store has later commits. */
  openSnapshot(use: SnapshotUse): Promise<Snapshot>;
  /** Values of the first keys, at least of one; all keys exist at this commit. */
  readValues(region: string, keys: readonly string[]): Promise<readonly string[]>;
}

/** The snapshot shows a later commit than the query began at: the query must restart. */
export class ReadPointPassed extends Error {}

/** Bytes of whole values read at a time, because the number of rows does not bound large values. */
const VALUE_BYTES = 256 * 1024;
/** More values are read through a snapshot, which bounds the bytes of a read. */
const FEW_VALUES = 32;

/** The commit of an open snapshot. */
export function readPointOf(snapshot: Snapshot, catalog: Catalog): ReadPoint {
  return {
    sequence: snapshot.sequence,
    snapshot,
    typeOf: (region) =>
      snapshot.count(region) === undefined ? undefined : catalog.findRegion(region)?.type,
    openSnapshot: async () => snapshot,
    readValues: (region, keys) => readValues(snapshot, region, keys),
  };
}

async function readValues(
  snapshot: Snapshot,
  region: string,
  keys: readonly string[],
): Promise<readonly string[]> {
  const entries = await snapshot.read(region, keys, VALUE_BYTES);
  return entries.map((entry) => entry?.value ?? 'null');
}

interface ColumnReadParts {
  readonly engine: Engine;
  readonly sequence: number;
  readonly catalog: Catalog;
  readonly handles: RegionHandles;
  readonly signal: ReadSignal | undefined;
}

/** The last commit that the columns include. */
export class ColumnReadPoint implements ReadPoint {
  readonly sequence: number;
  /** Whether the query needs a snapshot even when its columns are in memory. */
  needsSnapshot = false;
  readonly #parts: ColumnReadParts;
  #opening: Promise<Snapshot> | undefined;
  #opened: Snapshot | undefined;

  constructor(parts: ColumnReadParts) {
    this.sequence = parts.sequence;
    this.#parts = parts;
  }

  get snapshot(): Snapshot | undefined {
    return this.#opened?.sequence === this.sequence ? this.#opened : undefined;
  }

  /** The snapshot that was opened, if any; the caller closes it. */
  get opened(): Snapshot | undefined {
    return this.#opened;
  }

  typeOf(region: string): RegionType | undefined {
    return this.#parts.catalog.findRegion(region)?.type;
  }

  async openSnapshot(use: SnapshotUse): Promise<Snapshot> {
    if (use === 'result') this.needsSnapshot = true;
    this.#opening ??= this.#parts.engine.openSnapshot(this.#parts.signal);
    this.#opened = await this.#opening;
    if (this.#opened.sequence !== this.sequence) throw new ReadPointPassed();
    return this.#opened;
  }

  /** An entry with a version up to the sequence is unchanged since then. */
  async readValues(region: string, keys: readonly string[]): Promise<readonly string[]> {
    if (this.snapshot === undefined && keys.length <= FEW_VALUES) {
      const values = await this.#readByKey(region, keys);
      if (values !== undefined) return values;
    }
    return readValues(await this.openSnapshot('result'), region, keys);
  }

  /** Undefined when an entry was written or removed since, or all are too large. */
  async #readByKey(name: string, keys: readonly string[]): Promise<string[] | undefined> {
    const region = this.#parts.handles.known(name) ?? (await this.#parts.handles.open(name));
    if (region === undefined) return undefined;
    const values: string[] = [];
    for (const entry of await readEntries(region, keys)) {
      if (entry === undefined || entry.version > this.sequence) {
        this.#parts.handles.forget(name);
        return undefined;
      }
      values.push(entry.value);
    }
    return values.length === keys.length ? values : undefined;
  }
}

/** None when they are too large to be read at once. */
async function readEntries(
  region: Region,
  keys: readonly string[],
): Promise<readonly (StoredEntry | undefined)[]> {
  try {
    return await region.read(keys);
  } catch (error) {
    if (error instanceof EngineError && error.code === 'engine/read-too-large') return [];
    throw error;
  }
}
