// The writer's statements and counters for one region. Counters stay in memory during a batch and
// are written once, in the same transaction.

import type { Change, StoredEntry } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';
import type { RecordedHistory } from '../record-history.ts';
import { EMPTY_DIGEST } from './digest.ts';
import { isLarge, type LargeValues, mayHaveLargeValues, valueColumns } from './large-values.ts';
import { OldEntries, type OldEntry } from './old-entries.ts';
import { type EntryRow, PutStatements } from './put-statements.ts';
import { Counters } from './region-counters.ts';
import { columnsOf, entriesTable, type RegionRow } from './schema.ts';
import { openEntry, sealEntry } from './seal.ts';
import type { LazyStatement } from './statement-cache.ts';
import type { WriteConnection } from './write-connection.ts';

export interface AppliedChanges {
  /** Positions of the changes without an effect. */
  readonly unchanged: readonly number[];
  readonly row: RegionRow;
}

type Put = Extract<Change, { kind: 'put' }>;
type Removal = Exclude<Change, Put>;

/** From this number on, puts are looked up and written together. */
const MANY_CHANGES = 8;

const NO_ENTRIES = { entryCount: 0, valueBytes: 0, largestValue: 0, digest: EMPTY_DIGEST };

/** The columns of a new region apart from its number and definition. */
export const EMPTY_REGION: Omit<RegionRow, 'id' | 'definition'> = { ...NO_ENTRIES, indexes: [] };

export class RegionWriter {
  readonly #file: string;
  readonly #largeValues: LargeValues;
  readonly #find: LazyStatement;
  readonly #old: OldEntries;
  readonly #put: PutStatements;
  readonly #remove: LazyStatement;
  readonly #clear: LazyStatement;
  readonly #following: LazyStatement;
  #row: RegionRow;

  constructor(connection: WriteConnection, file: string, row: RegionRow) {
    const { statements } = connection;
    const table = entriesTable(row.id);
    const { value } = valueColumns(table);
    this.#file = file;
    this.#largeValues = connection.largeValues;
    this.#row = row;
    this.#find = statements.lazy(`SELECT version, seal, ${value} FROM ${table} WHERE "key" = ?`);
    this.#old = new OldEntries(connection, row.id, () => this.#damaged());
    this.#put = new PutStatements(statements, row.id);
    this.#remove = statements.lazy(`DELETE FROM ${table} WHERE "key" = ?`);
    this.#following = statements.lazy(
      `SELECT version, seal, ${value}, "key" FROM ${table} WHERE "key" > ? ORDER BY "key" LIMIT 1`,
    );
    this.#clear = statements.lazy(`DELETE FROM ${table}`);
  }

  get row(): RegionRow {
    return this.#row;
  }

  find(key: string): StoredEntry | undefined {
    const storedKey = encodeKey(key);
    const found = this.#find.use().get(storedKey);
    if (found === undefined) return this.#old.requireAbsent(storedKey);
    const entry = openEntry(storedKey, columnsOf(found));
    if (entry === undefined) throw this.#damaged();
    return entry;
  }

  /**
   * Applies the changes. The counters change only with `accept`, once the whole request succeeded: a
   * failed one is rolled back in the file. `row` has the effects of earlier changes of the request.
   */
  apply(
    changes: readonly Change[],
    version: number,
    afterEach: () => void,
    row: RegionRow = this.#row,
  ): AppliedChanges {
    if (changes.length >= MANY_CHANGES && changes.every(isPut)) {
      return this.#applyPuts(changes, version, afterEach, row);
    }
    const counters = new Counters(row);
    const unchanged: number[] = [];
    for (const [position, change] of changes.entries()) {
      const storedKey = encodeKey(change.key);
      if (change.kind === 'put') this.#applyPut(storedKey, change.value, version, counters);
      else if (!this.#applyRemoval(storedKey, change, counters)) unchanged.push(position);
      afterEach();
    }
    return { unchanged, row: { ...row, ...counters.state } };
  }

  #applyPut(storedKey: string, value: string, version: number, counters: Counters): void {
    const seal = sealEntry(storedKey, value, version);
    const row = [storedKey, version, seal, value] as const;
    const old = isLarge(seal) ? this.#putLarge(row) : this.#putInline(row);
    if (old !== undefined) counters.remove(old);
    counters.add(version, seal);
  }

  #putInline(row: EntryRow): OldEntry | undefined {
    const old = this.#old.overwrite(row);
    if (old === undefined) this.#put.one(row);
    else this.#removeLarge(old);
    return old;
  }

  #putLarge([storedKey, version, seal, value]: EntryRow): OldEntry | undefined {
    const old = this.#old.find(storedKey);
    this.#put.one([storedKey, version, seal, this.#place(seal, value, old)]);
    return old;
  }

  /** Writes the row of a large value, and removes that of the old one; returns the entry's column. */
  #place(seal: string, value: EntryRow[3], old: OldEntry | undefined): EntryRow[3] {
    if (!isLarge(seal)) {
      if (old !== undefined) this.#removeLarge(old);
      return value;
    }
    const reference = this.#largeValues.write(seal, value, old);
    if (reference === undefined) throw this.#damaged();
    return reference;
  }

  #removeLarge(old: OldEntry): void {
    if (!this.#largeValues.remove(old)) throw this.#damaged();
  }

  /** Whether there was an entry to remove. */
  #applyRemoval(storedKey: string, change: Removal, counters: Counters): boolean {
    const old = this.#old.find(storedKey);
    if (old === undefined) return false;
    if (change.kind === 'expire' && old.version !== change.version) return false;
    counters.remove(old);
    this.#removeLarge(old);
    this.#remove.use().run(storedKey);
    return true;
  }

  /** All look-ups first, then all writes, each with few statements. */
  #applyPuts(
    puts: readonly Put[],
    version: number,
    afterEach: () => void,
    row: RegionRow,
  ): AppliedChanges {
    const counters = new Counters(row);
    const storedKeys = puts.map(({ key }) => encodeKey(key));
    const { entries, gaps } = this.#old.findMany(storedKeys);
    const rows = puts.map(({ value }, i) => {
      const storedKey = storedKeys[i] ?? '';
      const seal = sealEntry(storedKey, value, version);
      const old = entries[i];
      if (old !== undefined) counters.remove(old);
      counters.add(version, seal);
      return [storedKey, version, seal, this.#place(seal, value, old)] as const;
    });
    this.#put.many(rows, afterEach);
    this.#old.requireFilled(gaps);
    return { unchanged: [], row: { ...row, ...counters.state } };
  }

  /** The counters change with `accept`. */
  clear(): RegionRow {
    this.removeLargeValues();
    this.#clear.use().run();
    return { ...this.#row, ...NO_ENTRIES };
  }

  /** Call this before the entries are removed together. */
  removeLargeValues(): void {
    if (mayHaveLargeValues(this.#row)) this.#largeValues.removeAll(this.#row.id);
  }

  /** Writes history records of another region. The counters change with `accept`. */
  applyRecords({ changes, isReset }: RecordedHistory): RegionRow {
    let row = isReset ? this.clear() : this.#row;
    for (const change of changes) {
      const version = change.kind === 'put' ? change.version : 0;
      row = this.apply([change], version, () => undefined, row).row;
    }
    return row;
  }

  /** Every entry in key order. The region must not change meanwhile. */
  *entries(): Generator<readonly [key: string, entry: StoredEntry]> {
    let last = '';
    for (let next = this.#next(last); next !== undefined; next = this.#next(last)) {
      last = next.storedKey;
      yield [decodeKey(last), next.entry];
    }
  }

  /** The first entry after a key. */
  next(after: string): readonly [key: string, value: string] | undefined {
    const next = this.#next(encodeKey(after));
    return next && [decodeKey(next.storedKey), next.entry.value];
  }

  #next(storedAfter: string): { storedKey: string; entry: StoredEntry } | undefined {
    const found = this.#following.use().get(storedAfter);
    if (found === undefined) return undefined;
    const columns = columnsOf(found);
    const storedKey = columns[3];
    const entry = typeof storedKey === 'string' ? openEntry(storedKey, columns) : undefined;
    if (typeof storedKey !== 'string' || entry === undefined) throw this.#damaged();
    return { storedKey, entry };
  }

  accept(row: RegionRow): void {
    this.#row = row;
  }

  #damaged(): Error {
    const { name } = this.#row.definition;
    return storeDamaged(this.#file, `an entry of region (${name}) fails its checksum`);
  }
}

function isPut(change: Change): change is Put {
  return change.kind === 'put';
}
