// A read-only connection pinned at one commit, with its statements. All reads of a view see the same
// snapshot, so a read may take several statements. Statements in an open transaction take no locks,
// which makes a point read a third cheaper.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { FirstEntries, KeyedEntry, StoredEntry } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { encodeKey } from '../key-encoding.ts';
import type { ReadValues } from './entry-cache.ts';
import { mayHaveLargeValues } from './large-values.ts';
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
  UNCHECKED_BYTES,
} from './schema.ts';
import { areKeysSound, areVersionsSound, openEntry, SEAL_LENGTH } from './seal.ts';
import { findValues } from './sealed-bytes.ts';
import { StatementCache } from './statement-cache.ts';
import { withoutPadding } from './value-padding.ts';

/** From this number of keys on, one statement for all is faster than one per key. */
const JOINED_READ_KEYS = 5;
/** Keys that one statement of a bounded read looks up. */
const MAX_READ_KEYS = 256;

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

  /**
   * One element per key, up to the value that reaches `maxBytes`. Each step is small enough to exceed
   * that by no more than `UNCHECKED_BYTES`.
   */
  read(
    region: RegionSizes,
    keys: readonly string[],
    maxBytes: number = Number.POSITIVE_INFINITY,
  ): readonly (StoredEntry | undefined)[] {
    // Nearly all reads are small, and cost no more than their look-ups.
    if (keys.length * region.largestValue <= maxBytes) return this.#readAll(region, keys);
    return readWithin(region, { keys, maxBytes }, (some) => this.#readAll(region, some));
  }

  /** The first entry after each key, bounded like `read`. */
  readNext(
    region: RegionSizes,
    keys: readonly string[],
    maxBytes: number = Number.POSITIVE_INFINITY,
  ): readonly (KeyedEntry | undefined)[] {
    const { next } = this.statementsOf(region);
    return readWithin(region, { keys, maxBytes }, (some) => {
      const rows = next.use().all(JSON.stringify(some.map(encodeKey)));
      if (rows.length !== some.length) throw this.#damaged();
      return rows.map((row) => {
        const entry = openNextEntry(columnsOf(row));
        if (entry === 'damaged') throw this.#damaged();
        return entry;
      });
    });
  }

  /** The entries, concatenated by SQLite; undefined when one is absent: then use `read`. */
  readTogether(region: RegionSizes, keys: readonly string[]): ReadValues | undefined {
    const storedKeys = keys.map(encodeKey);
    const [padded, seals, versionText] = aggregates<[Uint8Array, string, string]>(
      this.statementsOf(region).together.use().get(JSON.stringify(storedKeys)),
    );
    if (padded === null || seals === null || versionText === null) return undefined;
    if (seals.length !== keys.length * SEAL_LENGTH) return undefined;
    const values = withoutPadding(padded);
    const versions = parseVersions(versionText);
    const found = findValues(Buffer.from(seals, 'latin1'), values, 'commas');
    const isSound = areKeysSound(seals, storedKeys) && areVersionsSound(seals, versions);
    if (!isSound || found === undefined) throw this.#damaged();
    return { versions, values, ends: found.ends };
  }

  /** The first `rows` entries of a region. */
  readFirst(region: RegionSizes, rows: number): FirstEntries {
    const { entryCount } = region;
    const { first } = this.statementsOf(region);
    return first.read(Math.min(rows, entryCount), entryCount, this.sequence);
  }

  /** The statements of a region, for reads of this view's commit. */
  statementsOf(region: RegionSizes): RegionStatements {
    const known = this.#statements.get(region.id);
    if (known?.readLargeValues === mayHaveLargeValues(region)) return known;
    const statements = prepareRegion(this.#cache, region, () => this.#damaged());
    this.#statements.set(region.id, statements);
    return statements;
  }

  #readAll(region: RegionSizes, keys: readonly string[]): readonly (StoredEntry | undefined)[] {
    const statements = this.statementsOf(region);
    return keys.length < JOINED_READ_KEYS
      ? keys.map((key) => this.#readOne(statements, encodeKey(key)))
      : this.#readMany(statements, keys.map(encodeKey));
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

/** `read` returns one element per key; a value has `largestValue` bytes at most. */
function readWithin<Entry extends StoredEntry>(
  { largestValue }: RegionSizes,
  { keys, maxBytes }: { readonly keys: readonly string[]; readonly maxBytes: number },
  read: (keys: readonly string[]) => readonly (Entry | undefined)[],
): readonly (Entry | undefined)[] {
  if (keys.length * largestValue <= maxBytes) return read(keys);
  const safe = Math.floor(UNCHECKED_BYTES / Math.max(1, largestValue));
  const atOnce = Math.max(1, Math.min(safe, MAX_READ_KEYS));
  const entries: (Entry | undefined)[] = [];
  let bytes = 0;
  for (let start = 0; start < keys.length; start += atOnce) {
    for (const entry of read(keys.slice(start, start + atOnce))) {
      entries.push(entry);
      bytes += entry?.value.length ?? 0;
      if (bytes >= maxBytes) return entries;
    }
  }
  return entries;
}
