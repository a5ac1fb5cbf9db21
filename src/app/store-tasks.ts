// Checks, copies and repairs stores, for commands. The adapter is loaded on demand.

import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { AcceptOutcome } from '../engine/sqlite/accept-loss.ts';
import type { Progress } from '../engine/sqlite/check-store.ts';
import type { BackupOutcome, CopyOptions, RestoreOutcome } from '../engine/sqlite/copy-store.ts';
import { storeFiles } from '../engine/sqlite/store-files.ts';
import type { StoreReport } from '../engine/store-report.ts';
import { requireStore, withPassword } from './open-engine.ts';

export type { Progress } from '../engine/sqlite/check-store.ts';
export type { CopyOptions, CopyProgress } from '../engine/sqlite/copy-store.ts';
export type { StoreReport } from '../engine/store-report.ts';

/** Reads the whole store and reports damage; changes nothing. */
export async function checkStore(
  directory: string,
  onProgress: (progress: Progress) => void,
): Promise<StoreReport> {
  const adapter = await import('../engine/sqlite/check-store.ts');
  return adapter.checkStore(storeFiles(resolve(directory)), onProgress);
}

/** Lets a store that no server has open continue without its missing commits. */
export async function acceptLoss(directory: string): Promise<AcceptOutcome> {
  const adapter = await import('../engine/sqlite/accept-loss.ts');
  return adapter.acceptLoss(storeFiles(resolve(directory)));
}

/** `checkStore` for a database. */
export async function checkDatabase(config: Config): Promise<StoreReport> {
  const adapter = await import('../engine/postgres/check-store.ts');
  const { store } = config;
  await requireStore(config);
  return withPassword(store, (password) => adapter.checkStore({ url: store.url, password }));
}

/** Copies a consistent snapshot of a store, running or not, into a file. */
export async function backupStore(
  directory: string,
  file: string,
  options: CopyOptions,
): Promise<BackupOutcome> {
  const adapter = await import('../engine/sqlite/copy-store.ts');
  return adapter.backupStore(storeFiles(resolve(directory)), resolve(file), options);
}

/** Makes a backup the store of a directory that no server has open. */
export async function restoreStore(
  file: string,
  directory: string,
  options: CopyOptions,
): Promise<RestoreOutcome> {
  const adapter = await import('../engine/sqlite/copy-store.ts');
  return adapter.restoreStore(resolve(file), storeFiles(resolve(directory)), options);
}
