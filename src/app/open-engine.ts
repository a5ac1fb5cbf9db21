// Picks the engine and loads its adapter; the others are never loaded.

import { access, constants, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineError } from '../engine/errors.ts';
import type { TestingOptions } from '../engine/sqlite/store-request.ts';
import { directoryUnusable, storeUnusable, storeUrlRefused } from './errors.ts';
import { memoryBytes } from './memory-watch.ts';
import { tightenMode } from './tighten-mode.ts';
import { readVersion } from './version.ts';

const GROUP_AND_OTHERS = 0o077;
/** Each cache of a store in a container of one gibibyte has 32 MiB. */
const CACHE_DIVISOR = 32;

interface EngineOptions {
  readonly testing?: TestingOptions;
  /** Receives notes about the store that was opened. */
  readonly onNote?: (note: string) => void;
  /** Called when the data directory was open to other users, and its mode was changed. */
  readonly onTightened?: (note: string) => void;
}

export async function openEngine(config: Config, options: EngineOptions = {}): Promise<Engine> {
  switch (config.store.engine) {
    case 'memory': {
      const { MemoryEngine } = await import('../engine/memory/memory-engine.ts');
      return new MemoryEngine({ maxChanges: config.changes.maxCount });
    }
    case 'sqlite':
      return openSqlite(config, options);
    case 'postgres':
      return openPostgres(config);
  }
}

async function openPostgres({ changes, store }: Config): Promise<Engine> {
  const { openPostgresEngine } = await import('../engine/postgres/postgres-engine.ts');
  const version = await readVersion();
  try {
    return await withPassword(store, (password) =>
      openPostgresEngine({
        url: store.url,
        password,
        durability: store.durability,
        maxChanges: changes.maxCount,
        maxChangeAgeMs: changes.maxAgeMs,
        maxSnapshots: store.maxSnapshots,
        version,
      }),
    );
  } catch (error) {
    throw error instanceof EngineError ? storeUnusable(error) : error;
  }
}

/** Throws `start/store-url-refused` for an address or a password file that cannot be used. */
export async function checkStoreUrl({ store }: Config): Promise<void> {
  if (store.engine !== 'postgres') return;
  const { parseStoreUrl } = await import('../engine/postgres/connection-url.ts');
  await withPassword(store, async () => void parseStoreUrl(store.url));
}

/** Throws `MissingStoreError` unless there is a store: opening it would create one. */
export async function requireStore({ store }: Config): Promise<void> {
  if (store.engine === 'postgres') {
    const adapter = await import('../engine/postgres/schema.ts');
    await withPassword(store, (password) => adapter.requireStore({ url: store.url, password }));
    return;
  }
  const { storeFiles } = await import('../engine/sqlite/store-files.ts');
  const { requireDataFile } = await import('../engine/sqlite/store-reader.ts');
  requireDataFile(storeFiles(store.directory));
}

/** Runs work on a database. Throws `start/store-url-refused` for a wrong address. */
export async function withPassword<Result>(
  store: Config['store'],
  work: (password: string | undefined) => Promise<Result>,
): Promise<Result> {
  const password = await readPassword(store);
  try {
    return await work(password);
  } catch (error) {
    throw error instanceof TypeError ? storeUrlRefused(error.message, error) : error;
  }
}

/** Undefined if the database needs none. */
async function readPassword({
  password,
  passwordFile,
}: Config['store']): Promise<string | undefined> {
  if (passwordFile === '') return password === '' ? undefined : password;
  try {
    return (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT';
    const reason = isMissing ? 'it does not exist' : (REASONS[codeOf(error)] ?? codeOf(error));
    throw storeUrlRefused(`store.password-file ${passwordFile} cannot be read: ${reason}`, error);
  }
}

async function openSqlite(
  { changes, store }: Config,
  { onTightened, ...options }: EngineOptions,
): Promise<Engine> {
  await prepareDirectory(store.directory, onTightened);
  const { openSqliteEngine } = await import('../engine/sqlite/sqlite-engine.ts');
  try {
    return await openSqliteEngine({
      directory: store.directory,
      durability: store.durability,
      maxChanges: changes.maxCount,
      maxChangeAgeMs: changes.maxAgeMs,
      cacheBytes: memoryBytes() / CACHE_DIVISOR,
      ...options,
    });
  } catch (error) {
    if (error instanceof EngineError) throw storeUnusable(error);
    throw error;
  }
}

/** Readable only by its owner, because the store has all user data. */
async function prepareDirectory(
  directory: string,
  onTightened: EngineOptions['onTightened'],
): Promise<void> {
  try {
    await makeDirectory(directory);
    if (!(await stat(directory)).isDirectory()) throw new TypeError('it is not a directory');
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    if (await tightenMode(directory, GROUP_AND_OTHERS)) {
      onTightened?.(`${directory} was open to other users: now its owner alone can use it`);
    }
  } catch (error) {
    throw directoryUnusable(directory, printReason(error), error);
  }
}

/**
 * Creates parent directories too. Node's recursive option never returns on file systems like /proc,
 * where every new name does not exist.
 */
async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    const above = dirname(directory);
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || above === directory) throw error;
    await makeDirectory(above);
    await mkdir(directory, { mode: 0o700 });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is read-only',
  EEXIST: 'it is not a directory',
  ENOTDIR: 'it is not a directory',
  ENOSPC: 'no space left',
  ENOENT: 'it cannot be created there',
};

function printReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return REASONS[codeOf(error)] ?? error.message;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
