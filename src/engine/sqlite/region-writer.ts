// The writer's hold on one region: its statements and its counters. Counters
// are kept in memory during a batch and written once, in the same transaction.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Change, StoredEntry } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { encodeKey } from './key-encoding.ts';
import { entriesTable, type RegionRow } from './schema.ts';
import { isEntrySound, sealEntry } from './seal.ts';

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
  #row: RegionRow;

  constructor(database: DatabaseSync, file: string, row: RegionRow) {
    const table = entriesTable(row.id);
    this.#file = file;
    this.#row = row;
    this.#find = database.prepare(`SELECT version, seal, value FROM ${table} WHERE "key" = ?`);
    this.#find.setReturnArrays(true);
    this.#size = database.prepare(`SELECT octet_length(value) FROM ${table} WHERE "key" = ?`);
    this.#size.setReturnArrays(true);
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO ${table}("key", version, seal, value) VALUES(?, ?, ?, ?)`,
    );
    this.#remove = database.prepare(`DELETE FROM ${table} WHERE "key" = ?`);
    this.#clear = database.prepare(`DELETE FROM ${table}`);
  }

  get row(): RegionRow {
    return this.#row;
  }

  find(key: string): StoredEntry | undefined {
    const storedKey = encodeKey(key);
    // The statement returns arrays of its three columns.
    const found = this.#find.get(storedKey) as unknown as [number, string, string] | undefined;
    if (found === undefined) return undefined;
    const entry = { value: found[2], version: found[0] };
    if (!isEntrySound(found[1], storedKey, entry)) {
      throw storeDamaged(this.#file, `an entry of region (${this.#row.definition.name})`);
    }
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
      // The statement returns an array of its one column.
      const old = this.#size.get(storedKey) as unknown as [number] | undefined;
      entryCount -= old === undefined ? 0 : 1;
      valueBytes -= old?.[0] ?? 0;
      if (change.kind === 'put') {
        const { value } = change;
        const size = Buffer.byteLength(value);
        this.#put.run(storedKey, version, sealEntry(storedKey, value, version), value);
        entryCount += 1;
        valueBytes += size;
        largestValue = Math.max(largestValue, size);
      } else if (old === undefined) unchanged.push(position);
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
}
