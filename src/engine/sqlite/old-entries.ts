// Reads the entries that a write is about to replace: size, version and digest of each, and where
// its value lives. For a key without an entry it makes sure that there is none. A damaged key can
// hide an entry, and the write would add a second one for the same key.

import { decodeKey, encodeKey } from '../key-encoding.ts';
import { digestEntry } from './digest.ts';
import { KeyNeighbours } from './key-neighbours.ts';
import { type LargeValue, referenceOf } from './large-values.ts';
import type { EntryRow } from './put-statements.ts';
import { columnsOf, entriesTable } from './schema.ts';
import { isKeySound, sealedLength } from './seal.ts';
import type { LazyStatement } from './statement-cache.ts';
import { NOTE_OLD_ROW, type WriteConnection } from './write-connection.ts';

export interface OldEntry extends LargeValue {
  readonly version: number;
  readonly size: number;
  readonly digest: number;
}

export interface OldEntriesFound {
  /** The entry of each key, in their order. */
  readonly entries: readonly (OldEntry | undefined)[];
  /** The keys without one. Pass them to `requireFilled` once they are written. */
  readonly gaps: readonly Gap[];
}

/** Absent keys between two adjacent entries. */
export interface Gap {
  readonly first: string;
  last: string;
  count: number;
}

const COLUMNS = `e.version, ${referenceOf('e')}, e.seal`;

export class OldEntries {
  readonly #connection: WriteConnection;
  readonly #one: LazyStatement;
  readonly #overwrite: LazyStatement;
  readonly #many: LazyStatement;
  readonly #between: LazyStatement;
  readonly #neighbours: KeyNeighbours;
  readonly #damaged: () => Error;

  /** `damaged` makes the error of an entry that fails its checksum. */
  constructor(connection: WriteConnection, regionId: number, damaged: () => Error) {
    const { statements } = connection;
    const table = entriesTable(regionId);
    this.#connection = connection;
    this.#overwrite = statements.lazy(
      `UPDATE ${table} AS e SET version = ?, seal = ?, value = ? WHERE e."key" = ? AND ${NOTE_OLD_ROW}(${COLUMNS})`,
    );
    this.#one = statements.lazy(`SELECT ${COLUMNS} FROM ${table} AS e WHERE e."key" = ?`);
    this.#many = statements.lazy(
      `SELECT ${COLUMNS}, k."key" FROM json_each(?) AS k CROSS JOIN ${table} AS e ON e."key" = k.value`,
    );
    this.#between = statements.lazy(
      `SELECT count(*) FROM ${table} WHERE "key" >= ? AND "key" <= ?`,
    );
    this.#neighbours = new KeyNeighbours(statements, regionId);
    this.#damaged = damaged;
  }

  /** Undefined when there is none. */
  find(storedKey: string): OldEntry | undefined {
    const found = this.#one.use().get(storedKey);
    return found === undefined
      ? this.requireAbsent(storedKey)
      : this.#open(storedKey, columnsOf(found));
  }

  /**
   * Overwrites the entry of a key and returns the old one; writes nothing when there is none. When it
   * throws, the caller must undo the write.
   */
  overwrite([storedKey, version, seal, value]: EntryRow): OldEntry | undefined {
    const columns = this.#connection.overwrite(
      this.#overwrite.use(),
      version,
      seal,
      value,
      storedKey,
    );
    return columns === undefined ? this.requireAbsent(storedKey) : this.#open(storedKey, columns);
  }

  /** Throws when a key that was not found may have an entry. */
  requireAbsent(storedKey: string): undefined {
    if (!this.#neighbours.isAbsent(storedKey)) throw this.#damaged();
  }

  /** `find` for many keys, each of which occurs once. */
  findMany(storedKeys: readonly string[]): OldEntriesFound {
    const entries = new Array<OldEntry | undefined>(storedKeys.length).fill(undefined);
    for (const row of this.#many.use().all(JSON.stringify(storedKeys))) {
      const columns = columnsOf(row);
      const index = Number(columns[3]);
      entries[index] = this.#open(storedKeys[index] ?? '', columns);
    }
    const absent = storedKeys.filter((_, i) => entries[i] === undefined);
    return { entries, gaps: this.#findGaps(absent) };
  }

  /**
   * Throws unless the entries of each gap are adjacent. The neighbours of the first were checked
   * before the write; a damaged key may still have misdirected another one.
   */
  requireFilled(gaps: readonly Gap[]): void {
    for (const { count, first, last } of gaps) {
      if (count === 1) continue;
      const found = columnsOf(this.#between.use().get(encodeKey(first), encodeKey(last)))[0];
      if (found !== count) throw this.#damaged();
    }
  }

  #findGaps(storedKeys: readonly string[]): readonly Gap[] {
    const gaps: Gap[] = [];
    let gap: Gap | undefined;
    let next: string | undefined;
    for (const key of storedKeys.map(decodeKey).sort(compareUnits)) {
      if (gap !== undefined && (next === undefined || key < next)) {
        gap.last = key;
        gap.count += 1;
        continue;
      }
      const found = this.#neighbours.findGap(encodeKey(key));
      if (found === undefined) throw this.#damaged();
      next = found === 'end' ? undefined : found.next;
      gap = { first: key, last: key, count: 1 };
      gaps.push(gap);
    }
    return gaps;
  }

  #open(storedKey: string, [version, reference, seal]: readonly unknown[]): OldEntry {
    const isTyped =
      typeof version === 'number' &&
      (reference === null || typeof reference === 'number') &&
      typeof seal === 'string';
    // A damaged key can equal that of another entry, which must not be overwritten.
    if (!isTyped || !isKeySound(storedKey, seal)) throw this.#damaged();
    return {
      version,
      size: sealedLength(seal, 0),
      digest: digestEntry(version, seal),
      seal,
      reference,
    };
  }
}

function compareUnits(a: string, b: string): number {
  return a < b ? -1 : 1;
}
