// A read-only connection pinned at one commit, with its statements. All reads of a view see the same
// snapshot, so a read may take several statements. Statements in an open transaction take no locks,
// which makes a point read a third cheaper.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EntryBytes } from '../../value/entry-bytes.ts';
import type { FirstEntries, KeyedEntry, StoredEntry } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';
import type { KeyWindow } from '../key-window.ts';
import type { ElementBatch } from './batch-reader.ts';
import type { ReadValues } from './entry-cache.ts';
import { areAscending } from './key-order.ts';
import { openNextEntry } from './next-entry.ts';
import { openReadConnection } from './open-read-connection.ts';
import { parseVersions } from './parse-versions.ts';
import { RecordedChanges } from './recorded-changes.ts';
import { prepareRegion, type RegionStatements } from './region-statements.ts';
import {
  columnsOf,
  openRegionRow,
  openStoreRow,
  prepareArrays,
  type RegionSizes,
  readRegionRows,
  SELECT_REGIONS,
  SELECT_STORE,
} from './schema.ts';
import { areKeysSound, areVersionsSound, countSealed, openEntry, SEAL_LENGTH } from './seal.ts';
import { findElements } from './sealed-bytes.ts';
import { StatementCache } from './statement-cache.ts';
import { withoutPadding } from './value-padding.ts';
import type { WindowEntries } from './window-reader.ts';

/** From this number of keys on, one statement for all is faster than one per key. */
const JOINED_READ_KEYS = 5;
const NUL = '\0';

export class ReadView {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #store: StatementSync;
  readonly #region: StatementSync;
  readonly #cache: StatementCache;
  readonly #statements: Map<number, RegionStatements> = new Map();
  /** The change log as of that commit. */
  readonly changes: RecordedChanges;
  /** The commit this view shows. */
  sequence = 0;
  /** Snapshots that use this view. */
  users = 0;
  /** A read of this view failed: its users keep it, but no other user gets it. */
  isSuspect = false;

  constructor(file: string) {
    this.#file = file;
    this.#database = openReadConnection(file);
    this.#cache = new StatementCache(this.#database);
    this.#begin = this.#database.prepare('BEGIN');
    this.#end = this.#database.prepare('COMMIT');
    this.#store = this.#prepare(SELECT_STORE);
    this.#region = this.#prepare(`${SELECT_REGIONS} WHERE name = ?`);
    this.changes = new RecordedChanges({
      statements: this.#cache,
      file,
      latest: () => this.sequence,
      findRegion: (name) => this.findRegion(name),
    });
  }

  /** Whether it still shows its commit: a failed read can end the transaction that pins it. */
  get isPinned(): boolean {
    return this.#database.isTransaction;
  }

  /** Moves to the latest commit. It reads the store row because the first read pins the snapshot. */
  pin(): void {
    this.unpin();
    this.#begin.run();
    this.sequence = openStoreRow(this.#store.get(), this.#file).sequence;
  }

  unpin(): void {
    if (this.#database.isTransaction) this.#end.run();
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /** Drops the statements of a region that no longer exists. */
  forget(regionId: number): void {
    this.#statements.delete(regionId);
    this.changes.forget(regionId);
  }

  findRegion(name: string): RegionSizes | undefined {
    const row = this.#region.get(name);
    if (row !== undefined) {
      const found = openRegionRow(row, this.#file);
      if (found.name === name) return found;
      throw storeDamaged(this.#file, `looking up region (${name}) finds region (${found.name})`);
    }
    // The index of names may be damaged, so the table itself is searched too.
    const regions = readRegionRows(this.#database, this.#file);
    if (regions.every(({ definition }) => definition.name !== name)) return undefined;
    throw storeDamaged(this.#file, `region (${name}) is not found by its name`);
  }

  read(regionId: number, keys: readonly string[]): readonly (StoredEntry | undefined)[] {
    const statements = this.#statementsOf(regionId);
    return keys.length < JOINED_READ_KEYS
      ? keys.map((key) => this.#readOne(statements, encodeKey(key)))
      : this.#readMany(statements, keys.map(encodeKey));
  }

  /** The entries, concatenated by SQLite; undefined when one is absent: then use `read`. */
  readTogether(regionId: number, keys: readonly string[]): ReadValues | undefined {
    const storedKeys = keys.map(encodeKey);
    const [padded, seals, versionText] = aggregates<[Uint8Array, string, string]>(
      this.#statementsOf(regionId).together.use().get(JSON.stringify(storedKeys)),
    );
    if (padded === null || seals === null || versionText === null) return undefined;
    if (seals.length !== keys.length * SEAL_LENGTH) return undefined;
    const values = withoutPadding(padded);
    const versions = parseVersions(versionText);
    const found = findElements(Buffer.from(seals, 'latin1'), values);
    const isSound = areKeysSound(seals, storedKeys) && areVersionsSound(seals, versions);
    if (!isSound || found === undefined) throw this.#damaged();
    return { versions, values, ends: found.ends };
  }

  /** Entries of the first keys, up to the one with which `maxBytes` are reached. */
  readWithin(
    regionId: number,
    keys: readonly string[],
    maxBytes: number,
  ): readonly (StoredEntry | undefined)[] {
    const statements = this.#statementsOf(regionId);
    const entries: (StoredEntry | undefined)[] = [];
    let bytes = 0;
    for (const key of keys) {
      if (bytes >= maxBytes && entries.length > 0) break;
      const entry = this.#readOne(statements, encodeKey(key));
      entries.push(entry);
      bytes += entry?.value.length ?? 0;
    }
    return entries;
  }

  /** The first entry after each key. */
  readNext(regionId: number, keys: readonly string[]): readonly (KeyedEntry | undefined)[] {
    const rows = this.#statementsOf(regionId)
      .next.use()
      .all(JSON.stringify(keys.map(encodeKey)));
    if (rows.length !== keys.length) throw this.#damaged();
    return rows.map((row) => {
      const entry = openNextEntry(columnsOf(row));
      if (entry === 'damaged') throw this.#damaged();
      return entry;
    });
  }

  /** The first `rows` entries of a region. */
  readFirst({ entryCount, id }: RegionSizes, rows: number): FirstEntries {
    const { first } = this.#statementsOf(id);
    return first.read(Math.min(rows, entryCount), entryCount, this.sequence);
  }

  /** Up to `rows` entries after `after`; undefined when there are none. */
  readBytes(regionId: number, after: string, rows: number): EntryBytes | undefined {
    return this.#statementsOf(regionId).batches.readEntries(after, rows);
  }

  /** The same as elements. `readKnown` returns the batch from then on, unless `most` cut it short. */
  readElements(
    regionId: number,
    after: string,
    bounds: { readonly rows: number; readonly most: number },
  ): ElementBatch | undefined {
    return this.#statementsOf(regionId).batches.readElements(after, bounds, this.sequence);
  }

  /** A batch of elements that was read at this commit before, of at most `most` entries. */
  readKnown(regionId: number, after: string, most: number): ElementBatch | undefined {
    return this.#statementsOf(regionId).batches.readKnown(after, most, this.sequence);
  }

  readKeys(regionId: number, after: string, rows: number): readonly string[] {
    const keys = this.#readKeys(regionId, after, rows).storedKeys.map(decodeKey);
    if (!areAscending(keys, after)) throw this.#damaged();
    return keys;
  }

  /** How many entries after `after` have at most `maxBytes` together; at least one, at most `rows`. */
  countWithin(regionId: number, after: string, rows: number, maxBytes: number): number {
    return countSealed(this.#readKeys(regionId, after, rows).seals, maxBytes);
  }

  /** Up to `rows` entries of a window, in its order. */
  readWindow(regionId: number, window: KeyWindow, rows: number): WindowEntries {
    return this.#statementsOf(regionId).window.readEntries(window, rows);
  }

  readWindowKeys(regionId: number, window: KeyWindow, rows: number): Omit<WindowEntries, 'batch'> {
    return this.#statementsOf(regionId).window.readKeys(window, rows);
  }

  /** As `countWithin`, for a window. */
  countWindow(regionId: number, window: KeyWindow, rows: number, maxBytes: number): number {
    return this.#statementsOf(regionId).window.countWithin(window, rows, maxBytes);
  }

  #readOne(statements: RegionStatements, storedKey: string): StoredEntry | undefined {
    const found = statements.one.use().get(storedKey);
    if (found === undefined) return this.#confirmAbsent(statements, storedKey);
    const entry = openEntry(storedKey, columnsOf(found));
    if (entry === undefined) throw this.#damaged();
    return entry;
  }

  #readMany(
    statements: RegionStatements,
    storedKeys: readonly string[],
  ): readonly (StoredEntry | undefined)[] {
    // The outer join keeps the order and the number of the keys.
    const rows = statements.many.use().all(JSON.stringify(storedKeys));
    return storedKeys.map((storedKey, i) => {
      const columns = columnsOf(rows[i]);
      if (columns.every((column) => column === null)) {
        return this.#confirmAbsent(statements, storedKey);
      }
      const entry = openEntry(storedKey, columns);
      if (entry === undefined) throw this.#damaged();
      return entry;
    });
  }

  #confirmAbsent({ neighbours }: RegionStatements, storedKey: string): undefined {
    if (!neighbours.isAbsent(storedKey)) throw this.#damaged();
  }

  #readKeys(
    regionId: number,
    after: string,
    rows: number,
  ): { readonly storedKeys: readonly string[]; readonly seals: string } {
    const { keys, neighbours } = this.#statementsOf(regionId);
    const storedAfter = encodeKey(after);
    const [keyText, seals] = aggregates<[string, string]>(keys.use().get(storedAfter, rows));
    const storedKeys = keyText?.split(NUL) ?? [];
    const isSound = neighbours.isLowerSound(storedAfter) && areKeysSound(seals ?? '', storedKeys);
    if (!isSound) throw this.#damaged();
    return { storedKeys, seals: seals ?? '' };
  }

  #statementsOf(regionId: number): RegionStatements {
    const known = this.#statements.get(regionId);
    if (known !== undefined) return known;
    const statements = prepareRegion(this.#cache, regionId, () => this.#damaged());
    this.#statements.set(regionId, statements);
    return statements;
  }

  #prepare(sql: string): StatementSync {
    return prepareArrays(this.#database, sql);
  }

  #damaged(): Error {
    return storeDamaged(this.#file, 'an entry fails its checksum');
  }
}

/**
 * The row of a statement of aggregates. Its types do not depend on the contents of the file:
 * `group_concat` returns text, its CAST bytes, and both NULL for no rows.
 */
function aggregates<Columns extends readonly unknown[]>(
  row: unknown,
): { readonly [At in keyof Columns]: Columns[At] | null } {
  return row as { readonly [At in keyof Columns]: Columns[At] | null };
}
