// The grid of a store without a server: read beside running servers, or opened for writing, with
// the same rules as over HTTP.

import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { toTexts } from '../engine/joined-texts.ts';
import {
  EXPIRY_REGION,
  type Grid,
  GridError,
  isReservedRegion,
  printSettings,
  QUERIES_REGION,
  type RegionDescription,
  showIndexes,
} from '../grid/index.ts';
import { type ExpiringEntry, listExpiring, mergeExpiry, readExpiry } from './entry-expiry.ts';
import { openEngine, requireStore } from './open-engine.ts';
import { openUnservedGrid } from './open-unserved-grid.ts';

export interface LocalRegion {
  readonly name: string;
  readonly type: string;
  readonly keyConstraint: string | null;
  readonly valueConstraint: string | null;
  /** As a request writes them. */
  readonly settings?: LocalSettings;
  readonly entryCount: number;
  readonly indexes: readonly LocalIndex[];
}

export interface LocalSettings {
  readonly history?: { readonly age?: string | number; readonly count?: number } | null;
  readonly entryTtl?: string | number | null;
  readonly maxTtl?: string | number | null;
}

export interface LocalIndex {
  readonly name: string;
  readonly kind: string;
  readonly expression: string;
  readonly from: string;
  readonly unique?: boolean;
}

export interface LocalQuery {
  readonly id: string;
  readonly oql: string;
}

/** A written entry. */
export interface LocalEntry {
  readonly key: string;
  /** Compact JSON text. */
  readonly value: string;
  /** Time to live; undefined: the default of its region. */
  readonly ttlMs?: number;
}

/** One snapshot of a store. */
export interface ReadableGrid {
  describeRegions(): Promise<readonly LocalRegion[]>;
  /** Undefined when there is no such region. */
  count(region: string): Promise<number | undefined>;
  listQueries(): Promise<readonly LocalQuery[]>;
  /** In key order, in batches. */
  entries(region: string): AsyncIterable<readonly ExpiringEntry[]>;
  /** Whether everything was read from one state; false when a server started meanwhile. */
  isUndisturbed(): boolean;
  close(): Promise<void>;
}

export interface GridTarget {
  /** Undefined when there is no such region. */
  count(region: string): Promise<number | undefined>;
  createRegion(region: Omit<LocalRegion, 'entryCount' | 'indexes'>): Promise<'created' | 'exists'>;
  createIndex(region: string, index: LocalIndex): Promise<'created' | 'exists'>;
  createQuery(query: LocalQuery): Promise<'created' | 'exists'>;
  /** All or none; settles when they are on disk. */
  put(region: string, entries: readonly LocalEntry[]): Promise<void>;
}

export interface WritableGrid extends GridTarget {
  /** After a failure, a store that was created here and got neither entries nor queries is removed. */
  close(end: 'done' | 'failed'): Promise<void>;
}

const BATCH_ENTRIES = 256;

/** Takes no lock: works while servers run on the store. */
export function openReadableGrid(config: Config): Promise<ReadableGrid> {
  return config.store.engine === 'postgres'
    ? openSharedStore(config)
    : openDirectory(config.store.directory);
}

/** One snapshot of a database, as a server would read it. */
async function openSharedStore(config: Config): Promise<ReadableGrid> {
  await requireStore(config);
  const engine = await openEngine(config);
  const snapshot = await engine.openSnapshot();
  const regions = await engine.describeRegions();
  return {
    describeRegions: async () => toLocalRegions(regions),
    count: async (region) => snapshot.count(region),
    listQueries: async () => {
      const queries: LocalQuery[] = [];
      for await (const batch of snapshot.scan(QUERIES_REGION, {}, 'entries')) {
        // Only the grid writes into this region.
        for (const [, value] of toTexts(batch)) queries.push(JSON.parse(value) as LocalQuery);
      }
      return queries;
    },
    async *entries(region) {
      for await (const batch of snapshot.scan(region, {}, 'entries')) {
        yield await readExpiry(snapshot, region, toTexts(batch));
      }
    },
    isUndisturbed: () => true,
    close: async () => {
      snapshot.close();
      await engine.close();
    },
  };
}

async function openDirectory(directory: string): Promise<ReadableGrid> {
  const { openStoredRegions } = await import('../engine/sqlite/stored-regions.ts');
  const store = openStoredRegions(resolve(directory));
  // Regions whose entries may expire; records are only read for these.
  let expiring: ReadonlySet<string> | undefined;
  return {
    describeRegions: async () => toLocalRegions(store.regions),
    count: async (region) => store.regions.find(({ name }) => name === region)?.entryCount,
    listQueries: async () =>
      [...store.entries(QUERIES_REGION)].map(
        // Only the grid writes into this region, and each entry was checked.
        ({ value }) => JSON.parse(value) as LocalQuery,
      ),
    async *entries(region) {
      let batch: ExpiringEntry[] = [];
      expiring ??= listExpiring(store.entries(EXPIRY_REGION));
      const records = expiring.has(region) ? store.entries(EXPIRY_REGION) : [];
      for (const entry of mergeExpiry(region, store.entries(region), records)) {
        if (batch.push(entry) < BATCH_ENTRIES) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    isUndisturbed: () => store.isUndisturbed(),
    close: async () => store.close(),
  };
}

function toLocalRegions(regions: readonly RegionDescription[]): readonly LocalRegion[] {
  return regions
    .filter(({ name }) => !isReservedRegion(name))
    .map(showIndexes)
    .map(({ entryTtlMs, history, maxTtlMs, ...region }) => {
      const settings = printSettings({
        ...(history === undefined ? {} : { history }),
        ...(entryTtlMs === undefined ? {} : { entryTtlMs }),
        ...(maxTtlMs === undefined ? {} : { maxTtlMs }),
      });
      return { ...region, ...(Object.keys(settings).length === 0 ? {} : { settings }) };
    });
}

/** Takes a directory's lock, as a server does; throws `StartError` if it cannot. */
export async function openWritableGrid(config: Config): Promise<WritableGrid> {
  const directory = resolve(config.store.directory);
  const removeCreated =
    config.store.engine === 'sqlite' ? await observeStore(directory) : () => undefined;
  const engine = await openEngine({ ...config, store: { ...config.store, directory } });
  // Another process may have created and filled the store before this one opened it.
  const wasEmpty = engine.stats().sequence === 0;
  const grid = await openUnservedGrid(engine, config);
  const target = toGridTarget(grid);
  let hasWritten = false;
  const recordingWrites =
    <Args extends readonly unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const result = await write(...args);
      hasWritten = true;
      return result;
    };
  return {
    ...target,
    createQuery: recordingWrites(target.createQuery),
    put: recordingWrites(target.put),
    close: async (end) => {
      grid.close();
      const { sequence } = engine.stats();
      await engine.close();
      if (end === 'failed' && wasEmpty && !hasWritten) removeCreated(sequence);
    },
  };
}

/** Returns a function that removes the store if it did not exist before this call. */
async function observeStore(directory: string): Promise<(sequence: number) => void> {
  const { storeFiles } = await import('../engine/sqlite/store-files.ts');
  const { observeDirectory, removeCreatedStore } = await import(
    '../engine/sqlite/created-store.ts'
  );
  const files = storeFiles(directory);
  const before = observeDirectory(files);
  return (sequence) => removeCreatedStore(files, before, sequence);
}

/** Writes into an open grid. */
export function toGridTarget(grid: Grid): GridTarget {
  return {
    count: async (region) =>
      (await grid.describeRegions()).find(({ name }) => name === region)?.entryCount,
    createRegion: (region) => createOnce('grid/region-exists', () => grid.createRegion(region)),
    createIndex: (region, index) =>
      createOnce('grid/index-exists', () => grid.createIndex(region, index)),
    createQuery: (query) => createOnce('grid/query-exists', () => grid.createQuery(query)),
    put: async (name, entries) => {
      const region = await grid.region(name);
      await region.put(entries, []);
    },
  };
}

async function createOnce(
  exists: GridError['code'],
  create: () => Promise<void>,
): Promise<'created' | 'exists'> {
  try {
    await create();
    return 'created';
  } catch (error) {
    if (error instanceof GridError && error.code === exists) return 'exists';
    throw error;
  }
}
