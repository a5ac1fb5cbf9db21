// The writer's hold on one region: its statements and its counters. Counters
// are kept in memory during a batch and written once, in the same transaction.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Change, StoredEntry } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { encodeKey } from '../key-encoding.ts';
import { addDigest, digestEntry, EMPTY_DIGEST, removeDigest } from './digest.ts';
import { KeyPlace } from './key-place.ts';
import { columnsOf, entriesTable, prepareArrays, type RegionRow } from './schema.ts';
import { isKeySound, openEntry, sealEntry } from './seal.ts';

export interface AppliedChanges {
  /** Positions of the changes that changed nothing. */
  readonly unchanged: readonly number[];
  readonly row: RegionRow;
}

const NO_ENTRIES = { entryCount: 0, valueBytes: 0, largestValue: 0, digest: EMPTY_DIGEST };

/** What a new region has, beside its number and definition. */
export const EMPTY_REGION: Omit<RegionRow, 'id' | 'definition'> = { ...NO_ENTRIES, indexes: [] };

export class RegionWriter {
  readonly #file: string;
  readonly #find: StatementSync;
  readonly #old: StatementSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #clear: StatementSync;
  readonly #place: KeyPlace;
  #row: RegionRow;

  constructor(database: DatabaseSync, file: string, row: RegionRow) {
    const table = entriesTable(row.id);
    this.#file = file;
    this.#row = row;
    this.#find = prepareArrays(
      database,
      `SELECT version, seal, value FROM ${table} WHERE "key" = ?`,
    );
    this.#old = prepareArrays(
      database,
      `SELECT version, octet_length(value), seal FROM ${table} WHERE "key" = ?`,
    );
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO ${table}("key", version, seal, value) VALUES(?, ?, ?, ?)`,
    );
    this.#remove = database.prepare(`DELETE FROM ${table} WHERE "key" = ?`);
    this.#clear = database.prepare(`DELETE FROM ${table}`);
    this.#place = new KeyPlace(database, row.id);
  }

  get row(): RegionRow {
    return this.#row;
  }

  find(key: string): StoredEntry | undefined {
    const storedKey = encodeKey(key);
    const found = this.#find.get(storedKey);
    if (found === undefined) return this.#confirmAbsent(storedKey);
    const entry = openEntry(storedKey, columnsOf(found));
    if (entry === undefined) throw this.#damaged();
    return entry;
  }

  /**
   * Applies the changes. The counters move only with `accept`, when the whole
   * request went well: a failed one is rolled back in the file.
   */
  apply(changes: readonly Change[], version: number, afterEach: () => void): AppliedChanges {
    let { digest, entryCount, largestValue, valueBytes } = this.#row;
    const unchanged: number[] = [];
    for (const [position, change] of changes.entries()) {
      const storedKey = encodeKey(change.key);
      const old = this.#findOld(storedKey);
      if (old !== undefined) {
        entryCount -= 1;
        valueBytes -= old.size;
        digest = removeDigest(digest, old.digest);
      }
      if (change.kind === 'put') {
        const { value } = change;
        const size = Buffer.byteLength(value);
        const seal = sealEntry(storedKey, value, version);
        this.#put.run(storedKey, version, seal, value);
        entryCount += 1;
        valueBytes += size;
        largestValue = Math.max(largestValue, size);
        digest = addDigest(digest, digestEntry(version, seal));
      } else if (old === undefined) unchanged.push(position);
      else this.#remove.run(storedKey);
      afterEach();
    }
    return { unchanged, row: { ...this.#row, entryCount, valueBytes, largestValue, digest } };
  }

  clear(): AppliedChanges {
    this.#clear.run();
    return {
      unchanged: [],
      row: { ...this.#row, ...NO_ENTRIES },
    };
  }

  accept(row: RegionRow): void {
    this.#row = row;
  }

  /** What the entry of a key counts for; undefined when there is none. */
  #findOld(storedKey: string): { readonly size: number; readonly digest: number } | undefined {
    const found = this.#old.get(storedKey);
    if (found === undefined) return this.#confirmAbsent(storedKey);
    const [version, size, seal] = columnsOf(found);
    const isTyped =
      typeof version === 'number' && typeof size === 'number' && typeof seal === 'string';
    // A damaged key can be that of another entry, which must not be written over.
    if (!isTyped || !isKeySound(storedKey, seal)) throw this.#damaged();
    return { size, digest: digestEntry(version, seal) };
  }

  /** A second entry of a key that is only hidden would be there for ever. */
  #confirmAbsent(storedKey: string): undefined {
    if (!this.#place.isCertain(storedKey)) throw this.#damaged();
  }

  #damaged(): Error {
    const { name } = this.#row.definition;
    return storeDamaged(this.#file, `an entry of region (${name}) fails its checksum`);
  }
}
