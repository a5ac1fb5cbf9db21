// The writer's hold on one region: its statements and its counters. Counters
// are kept in memory during a batch and written once, in the same transaction.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Change, StoredEntry } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { encodeKey } from '../key-encoding.ts';
import { KeyPlace } from './key-place.ts';
import { columnsOf, entriesTable, prepareArrays, type RegionRow } from './schema.ts';
import { isKeySound, openEntry, sealEntry } from './seal.ts';

export interface AppliedChanges {
  /** Positions of the changes that changed nothing. */
  readonly unchanged: readonly number[];
  readonly row: RegionRow;
}

export class RegionWriter {
  readonly #file: string;
  readonly #find: StatementSync;
  readonly #size: StatementSync;
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
    this.#size = prepareArrays(
      database,
      `SELECT octet_length(value), seal FROM ${table} WHERE "key" = ?`,
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
    let { entryCount, valueBytes, largestValue } = this.#row;
    const unchanged: number[] = [];
    for (const [position, change] of changes.entries()) {
      const storedKey = encodeKey(change.key);
      const oldSize = this.#findSize(storedKey);
      entryCount -= oldSize === undefined ? 0 : 1;
      valueBytes -= oldSize ?? 0;
      if (change.kind === 'put') {
        const { value } = change;
        const size = Buffer.byteLength(value);
        this.#put.run(storedKey, version, sealEntry(storedKey, value, version), value);
        entryCount += 1;
        valueBytes += size;
        largestValue = Math.max(largestValue, size);
      } else if (oldSize === undefined) unchanged.push(position);
      else this.#remove.run(storedKey);
      afterEach();
    }
    return { unchanged, row: { ...this.#row, entryCount, valueBytes, largestValue } };
  }

  clear(): AppliedChanges {
    this.#clear.run();
    return {
      unchanged: [],
      row: { ...this.#row, entryCount: 0, valueBytes: 0, largestValue: 0 },
    };
  }

  accept(row: RegionRow): void {
    this.#row = row;
  }

  /** Bytes of the value of a key; undefined when there is none. */
  #findSize(storedKey: string): number | undefined {
    const found = this.#size.get(storedKey);
    if (found === undefined) return this.#confirmAbsent(storedKey);
    const [size, seal] = columnsOf(found);
    // A damaged key can be that of another entry, which must not be written over.
    if (typeof size !== 'number' || !isKeySound(storedKey, seal)) throw this.#damaged();
    return size;
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
