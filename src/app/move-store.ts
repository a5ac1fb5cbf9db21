// Moves a grid from one store to another, with its versions. The latest commit of the new store is
// that of the old one, so clients notice no difference.

import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Engine, KeyedEntry, Snapshot } from '../engine/engine.ts';
import type { StoreCopy } from '../engine/store-copy.ts';
import { openEngine, requireStore, withPassword } from './open-engine.ts';

/** A data directory, or the address of a database. */
export type StoreLocation =
  | { readonly kind: 'directory'; readonly directory: string }
  | { readonly kind: 'database'; readonly url: string };

export interface MoveReport {
  readonly sequence: number;
  readonly regions: number;
  readonly entries: number;
}

const BATCH_KEYS = 1000;

export function toStoreLocation(text: string): StoreLocation {
  return /^postgres(ql)?:\/\//.test(text)
    ? { kind: 'database', url: text }
    : { kind: 'directory', directory: resolve(text) };
}

/** No server may write to the old store meanwhile; the new one must be empty. */
export async function moveStore(
  config: Config,
  from: StoreLocation,
  to: StoreLocation,
  onProgress: (done: number, total: number) => void,
): Promise<MoveReport> {
  const source = configOf(config, from);
  await requireStore(source);
  const engine = await openEngine(source);
  try {
    const snapshot = await engine.openSnapshot();
    try {
      return await copy(config, { engine, snapshot, to, onProgress });
    } finally {
      snapshot.close();
    }
  } finally {
    await engine.close();
  }
}

interface Move {
  readonly engine: Engine;
  readonly snapshot: Snapshot;
  readonly to: StoreLocation;
  readonly onProgress: (done: number, total: number) => void;
}

async function copy(
  config: Config,
  { engine, onProgress, snapshot, to }: Move,
): Promise<MoveReport> {
  const regions = await engine.describeRegions();
  const total = regions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  let done = 0;
  const source: StoreCopy = {
    sequence: snapshot.sequence,
    regions,
    async *entries(region) {
      for await (const keys of snapshot.scan(region, {}, 'keys')) {
        for (let from = 0; from < keys.length; from += BATCH_KEYS) {
          const batch = await readEntries(snapshot, region, keys.slice(from, from + BATCH_KEYS));
          yield batch;
          done += batch.length;
          onProgress(done, total);
        }
      }
    },
  };
  if (to.kind === 'directory') {
    const { fillStore } = await import('../engine/sqlite/fill-store.ts');
    await fillStore(to.directory, source);
  } else {
    const { fillStore } = await import('../engine/postgres/fill-store.ts');
    await withPassword(config.store, (password) => fillStore({ url: to.url, password }, source));
  }
  return { sequence: snapshot.sequence, regions: regions.length, entries: done };
}

async function readEntries(
  snapshot: Snapshot,
  region: string,
  keys: readonly string[],
): Promise<readonly KeyedEntry[]> {
  const entries = await snapshot.read(region, keys);
  return entries.flatMap((entry, i) => {
    const key = keys[i];
    return entry === undefined || key === undefined ? [] : [{ key, ...entry }];
  });
}

function configOf(config: Config, location: StoreLocation): Config {
  const store =
    location.kind === 'directory'
      ? { ...config.store, engine: 'sqlite' as const, directory: location.directory, url: '' }
      : { ...config.store, engine: 'postgres' as const, url: location.url };
  return { ...config, store };
}
