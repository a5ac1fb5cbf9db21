// A read-only connection held at one commit, with its statements. All reads of
// a view see the same moment, so a read may take several statements; and a
// statement in an open transaction needs no locks of its own, which makes a
// point read a third cheaper.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type {
  ChangesOutcome,
  EntryBatch,
  EntryBytes,
  StoredEntry,
  ValuesTogether,
} from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { readChanges } from './change-log.ts';
import { decodeKey, encodeKey, isPlain } from './key-encoding.ts';
import { MAPPED_BYTES } from './open-store.ts';
import { entriesTable, type RegionRow } from './schema.ts';
import {
  areKeysSound,
  areValuesSound,
  areVersionsSound,
  isEntrySound,
  SEAL_LENGTH,
  sealedLength,
} from './seal.ts';
import { openBatch } from './sealed-bytes.ts';

/** Pages of the data file are mapped, not cached; this is for pages still in the log. */
const READER_CACHE_KIB = 1024;
/** From here on one statement for all keys is faster than one per key. */
const JOINED_READ_KEYS = 5;
const NUL = '\0';
/** No stored key has a code point this high. */
const BEHIND_ALL_KEYS = '\u{10ffff}';

/** A region as a view shows it. */
export type RegionSizes = Pick<RegionRow, 'id' | 'entryCount' | 'valueBytes' | 'largestValue'>;

interface RegionStatements {
  readonly one: StatementSync;
  readonly many: StatementSync;
  readonly together: StatementSync;
  readonly neighbours: StatementSync;
  readonly batch: StatementSync;
  readonly ahead: StatementSync;
  readonly bytes: StatementSync;
  readonly keys: StatementSync;
}

export class ReadView {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #sequence: StatementSync;
  readonly #region: StatementSync;
  readonly #statements: Map<number, RegionStatements> = new Map();
  /** The commit this view shows. */
  sequence = 0;
  /** Snapshots that use this view. */
  users = 0;

  constructor(file: string) {
    this.#file = file;
    this.#database = new DatabaseSync(file, { readOnly: true });
    this.#database.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    this.#database.exec(`PRAGMA cache_size = -${READER_CACHE_KIB}`);
    this.#begin = this.#database.prepare('BEGIN');
    this.#end = this.#database.prepare('COMMIT');
    this.#sequence = this.#prepare('SELECT sequence FROM store WHERE id = 1');
    this.#region = this.#prepare(
      'SELECT id, entry_count, value_bytes, largest_value FROM regions WHERE name = ?',
    );
  }

  /** Moves to the latest commit. The first read pins it, so it is made here. */
  pin(): void {
    this.unpin();
    this.#begin.run();
    this.sequence = row<[number]>(this.#sequence.get())?.[0] ?? 0;
  }

  unpin(): void {
    if (this.#database.isTransaction) this.#end.run();
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /** Lets go of the statements of a region that no longer exists. */
  forget(regionId: number): void {
    this.#statements.delete(regionId);
  }

  findRegion(name: string): RegionSizes | undefined {
    const found = row<[number, number, number, number]>(this.#region.get(name));
    if (found === undefined) return undefined;
    const [id, entryCount, valueBytes, largestValue] = found;
    return { id, entryCount, valueBytes, largestValue };
  }

  read(regionId: number, keys: readonly string[]): readonly (StoredEntry | undefined)[] {
    const statements = this.#statementsOf(regionId);
    return keys.length < JOINED_READ_KEYS
      ? keys.map((key) => this.#readOne(statements, encodeKey(key)))
      : this.#readMany(statements, keys.map(encodeKey));
  }

  /** The entries put together by SQLite; undefined when one is absent, which `read` looks into. */
  readTogether(regionId: number, keys: readonly string[]): ValuesTogether | undefined {
    const storedKeys = keys.map(encodeKey);
    const found = row<[Uint8Array | null, string | null, string | null]>(
      this.#statementsOf(regionId).together.get(JSON.stringify(storedKeys)),
    );
    const [values, seals, versionText] = found ?? [null, null, null];
    if (values === null || seals === null || versionText === null) return undefined;
    if (seals.length !== keys.length * SEAL_LENGTH) return undefined;
    const versions = versionText.split(',').map(Number);
    const isSound =
      areKeysSound(seals, storedKeys) &&
      areVersionsSound(seals, versions) &&
      areValuesSound(seals, values);
    if (!isSound) throw this.#damaged();
    return { versions, values };
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

  /** Up to `rows` entries behind `after`, put together by SQLite rather than row by row. */
  readBatch(regionId: number, after: string, rows: number): EntryBatch {
    const statements = this.#statementsOf(regionId);
    const storedAfter = encodeKey(after);
    const last = row<[string]>(statements.ahead.get(storedAfter, rows - 1))?.[0];
    const found = row<[string | null, Uint8Array | null, string | null]>(
      statements.batch.get(storedAfter, last ?? BEHIND_ALL_KEYS),
    );
    if (found === undefined || found[0] === null) return { keys: [], values: new Uint8Array(0) };
    const [keyText, values, seals] = found;
    const storedKeys = keyText.split(NUL);
    const isSound =
      values !== null &&
      seals !== null &&
      // A damaged key that sorts behind the last one ends the search before it.
      (last === undefined || storedKeys.at(-1) === last) &&
      areKeysSound(seals, storedKeys) &&
      areValuesSound(seals, values);
    if (!isSound) throw this.#damaged();
    return { keys: isPlain(keyText) ? storedKeys : storedKeys.map(decodeKey), values };
  }

  /** The same as bytes; undefined when there is nothing behind `after`. */
  readBytes(regionId: number, after: string, rows: number): EntryBytes | undefined {
    const statements = this.#statementsOf(regionId);
    const storedAfter = encodeKey(after);
    const last = row<[string]>(statements.ahead.get(storedAfter, rows - 1))?.[0] ?? BEHIND_ALL_KEYS;
    const found = row<[Uint8Array | null, Uint8Array | null, Uint8Array | null]>(
      statements.bytes.get(storedAfter, last),
    );
    if (found === undefined || found[0] === null) return undefined;
    const [storedKeys, values, seals] = found;
    const batch = values && seals && openBatch({ storedKeys, values, seals });
    if (batch == null) throw this.#damaged();
    return batch;
  }

  readKeys(regionId: number, after: string, rows: number): readonly string[] {
    const found = this.#readKeys(regionId, after, rows);
    return found.storedKeys.map(decodeKey);
  }

  /** How many entries behind `after` have at most `maxBytes` together; at least one, at most `rows`. */
  countWithin(regionId: number, after: string, rows: number, maxBytes: number): number {
    const { seals } = this.#readKeys(regionId, after, rows);
    const count = seals.length / SEAL_LENGTH;
    let bytes = 0;
    for (let i = 0; i < count; i++) {
      bytes += sealedLength(seals, i);
      if (bytes > maxBytes) return Math.max(1, i);
    }
    return Math.max(1, count);
  }

  readChanges(afterSequence: number, limit: number): ChangesOutcome {
    const { sequence: latest } = this;
    return readChanges(this.#database, this.#file, { afterSequence, latest, limit });
  }

  #readOne(statements: RegionStatements, storedKey: string): StoredEntry | undefined {
    const found = row<[number, string, string]>(statements.one.get(storedKey));
    return found === undefined
      ? this.#confirmAbsent(statements, storedKey)
      : this.#toEntry(storedKey, found[0], found[1], found[2]);
  }

  #readMany(
    statements: RegionStatements,
    storedKeys: readonly string[],
  ): readonly (StoredEntry | undefined)[] {
    // The outer join keeps the order and the number of the keys.
    const rows = statements.many.all(JSON.stringify(storedKeys));
    return storedKeys.map((storedKey, i) => {
      const found = row<[number | null, string, string]>(rows[i]);
      if (found === undefined || found[0] === null) {
        return this.#confirmAbsent(statements, storedKey);
      }
      return this.#toEntry(storedKey, found[0], found[1], found[2]);
    });
  }

  #toEntry(storedKey: string, version: number, seal: string, value: string): StoredEntry {
    const entry = { value, version };
    if (!isEntrySound(seal, storedKey, entry)) throw this.#damaged();
    return entry;
  }

  /**
   * A damaged key hides its entry, and the search for it, or for another led
   * astray by it, ends beside it: so before a key is called absent, the keys on
   * both sides of its place are checked.
   */
  #confirmAbsent(statements: RegionStatements, storedKey: string): undefined {
    for (const neighbour of statements.neighbours.all(storedKey, storedKey)) {
      const [key = '', seal = ''] = row<[string, string]>(neighbour) ?? [];
      if (!areKeysSound(seal, [key])) throw this.#damaged();
    }
  }

  #readKeys(
    regionId: number,
    after: string,
    rows: number,
  ): { readonly storedKeys: readonly string[]; readonly seals: string } {
    const found = row<[string | null, string | null]>(
      this.#statementsOf(regionId).keys.get(encodeKey(after), rows),
    );
    if (found === undefined || found[0] === null) return { storedKeys: [], seals: '' };
    const storedKeys = found[0].split(NUL);
    const seals = found[1] ?? '';
    if (!areKeysSound(seals, storedKeys)) throw this.#damaged();
    return { storedKeys, seals };
  }

  #statementsOf(regionId: number): RegionStatements {
    const known = this.#statements.get(regionId);
    if (known !== undefined) return known;
    const table = entriesTable(regionId);
    const between = `${table} WHERE "key" > ? AND "key" <= ?`;
    const behind = `FROM ${table} WHERE "key" > ? ORDER BY "key" LIMIT ?`;
    const statements = {
      one: this.#prepare(`SELECT version, seal, value FROM ${table} WHERE "key" = ?`),
      many: this.#prepare(
        `SELECT e.version, e.seal, e.value FROM json_each(?) AS k LEFT JOIN ${table} AS e ON e."key" = k.value`,
      ),
      // Not left to SQLite which side is looked up in the other: the order must be that of the keys.
      together: this.#prepare(
        `SELECT CAST(group_concat(e.value, char(10)) AS BLOB), group_concat(e.seal, ''), group_concat(e.version, ',') FROM json_each(?) AS k CROSS JOIN ${table} AS e ON e."key" = k.value`,
      ),
      // Each side by one walk: looking a damaged key up again would not find it.
      neighbours: this.#prepare(
        `SELECT * FROM (SELECT "key", seal FROM ${table} WHERE "key" < ? ORDER BY "key" DESC LIMIT 1) UNION ALL SELECT * FROM (SELECT "key", seal FROM ${table} WHERE "key" > ? ORDER BY "key" LIMIT 1)`,
      ),
      // Between two keys no inner query is needed to count rows, which costs less than half; a
      // search by key gives them in order. With an ORDER BY of their own the aggregates would
      // sort them again at three times the cost.
      batch: this.#prepare(
        `SELECT group_concat("key", char(0)), CAST(group_concat(value, char(10)) AS BLOB), group_concat(seal, '') FROM ${between}`,
      ),
      ahead: this.#prepare(
        `SELECT "key" FROM ${table} WHERE "key" > ? ORDER BY "key" LIMIT 1 OFFSET ?`,
      ),
      bytes: this.#prepare(
        `SELECT CAST(group_concat("key", char(0)) AS BLOB), CAST(group_concat(value, char(10)) AS BLOB), CAST(group_concat(seal, '') AS BLOB) FROM ${between}`,
      ),
      keys: this.#prepare(
        `SELECT group_concat("key", char(0)), group_concat(seal, '') FROM (SELECT "key", seal ${behind})`,
      ),
    };
    this.#statements.set(regionId, statements);
    return statements;
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  #damaged(): Error {
    return storeDamaged(this.#file, 'an entry fails its checksum');
  }
}

/** Statements of this file return rows as arrays; the caller names their columns' types. */
function row<Columns>(result: unknown): Columns | undefined {
  return result as Columns | undefined;
}
