// Where the value of an entry is stored; no other file knows. A value of up to `INLINE_BYTES` bytes
// is in the row of its entry. A longer one has a row in the table `large_values`, with a copy of
// the seal of its entry. The column `value` of the entry is then a BLOB with the digits of that
// row's number. A search for a key reads whole rows of other entries, so those rows must be short.
//
// Formats before 5 have all values inline. Such values stay where they are until they are rewritten.

import type { DatabaseSync } from 'node:sqlite';
import { columnsOf, entriesTable, prepareArrays, type RegionSizes } from './schema.ts';
import { sealedLength } from './seal.ts';
import type { LazyStatement, StatementCache } from './statement-cache.ts';

/**
 * A row of more than 1,002 bytes has overflow pages in a table of entries. With a value of this size
 * that is a row whose key has more than 36 bytes.
 */
export const INLINE_BYTES = 940;

/** SQL for columns of an entry. */
export interface ValueColumns {
  readonly value: string;
  /** Bytes of the value, without reading it; NULL when the row of a large value has another seal. */
  readonly bytes: string;
  /** NULL for an inline value; otherwise whether the entry and the row of its value have one seal. */
  readonly isLinked: string;
}

/** The columns of the table of entries that has this name or alias. */
export type ColumnsIn = (entries: string) => ValueColumns;

export const valueColumns: ColumnsIn = (entries) => {
  const referred = `FROM large_values AS l WHERE l.id = CAST(${entries}.value AS INTEGER)`;
  const own = `${referred} AND l.seal = ${entries}.seal`;
  const type = `CASE typeof(${entries}.value)`;
  return {
    value: `${type} WHEN 'text' THEN ${entries}.value ELSE (SELECT l.value ${referred}) END`,
    bytes: `${type} WHEN 'blob' THEN (SELECT octet_length(l.value) ${own}) ELSE octet_length(${entries}.value) END`,
    isLinked: `${type} WHEN 'blob' THEN EXISTS(SELECT 1 ${own}) END`,
  };
};

/** For formats before 5. */
export const inlineColumns: ColumnsIn = (entries) => ({
  value: `${entries}.value`,
  bytes: `octet_length(${entries}.value)`,
  isLinked: 'NULL',
});

type ValueRegion = Pick<RegionSizes, 'id' | 'largestValue'>;

/** Whether a region may have values outside its table. */
export function mayHaveLargeValues({ largestValue }: Pick<RegionSizes, 'largestValue'>): boolean {
  return largestValue > INLINE_BYTES;
}

/** The table of a region's entries, and SQL for the value of one. */
export interface EntrySource {
  readonly table: string;
  readonly value: string;
}

/**
 * A region without large values has the plain column, because the test of its type would take a
 * tenth of a scan.
 */
export function entrySource(region: ValueRegion): EntrySource {
  const table = entriesTable(region.id);
  const columns = mayHaveLargeValues(region) ? valueColumns(table) : inlineColumns(table);
  return { table, value: columns.value };
}

/** SQL for the number of the row of a large value; NULL for an inline one. */
export function referenceOf(entries: string): string {
  return `CASE typeof(${entries}.value) WHEN 'blob' THEN CAST(${entries}.value AS INTEGER) END`;
}

export function isLarge(seal: string): boolean {
  return sealedLength(seal, 0) > INLINE_BYTES;
}

/** The row of a large value, and the seal that it must have. */
export interface LargeValue {
  readonly reference: number | null;
  readonly seal: string;
}

/** Writes and removes rows of large values. Their entries are written by the caller. */
export class LargeValues {
  readonly #statements: StatementCache;
  readonly #last: LazyStatement;
  readonly #insert: LazyStatement;
  readonly #update: LazyStatement;
  readonly #remove: LazyStatement;
  #next: number | undefined;

  constructor(statements: StatementCache) {
    this.#statements = statements;
    this.#last = statements.lazy('SELECT CAST(max(id) AS TEXT) FROM large_values');
    this.#insert = statements.lazy('INSERT INTO large_values(id, seal, value) VALUES(?, ?, ?)');
    // The seal ensures that a damaged reference does not change the value of another entry.
    this.#update = statements.lazy(
      'UPDATE large_values SET seal = ?, value = ? WHERE id = ? AND seal = ?',
    );
    this.#remove = statements.lazy('DELETE FROM large_values WHERE id = ? AND seal = ?');
  }

  /**
   * Writes a large value, in the place of the large value that it replaces. Returns the reference for
   * the row of the entry, or undefined when the old value is not where its entry says.
   */
  write(
    seal: string,
    value: string | Uint8Array,
    old: LargeValue | undefined,
  ): Uint8Array | undefined {
    const reference = old?.reference ?? undefined;
    if (old === undefined || reference === undefined) {
      const id = this.#takeId();
      // A damaged page can have any number.
      if (!Number.isSafeInteger(id)) return undefined;
      this.#insert.use().run(id, seal, value);
      return toReference(id);
    }
    const { changes } = this.#update.use().run(seal, value, reference, old.seal);
    return changes === 1 ? toReference(reference) : undefined;
  }

  /** Removes the row of a value, if it has one. False when it is not where its entry says. */
  remove({ reference, seal }: LargeValue): boolean {
    return reference === null || this.#remove.use().run(reference, seal).changes === 1;
  }

  /** Removes the rows of all entries of a region, which are still there. */
  removeAll(regionId: number): void {
    this.#statements
      .lazy(`DELETE FROM large_values WHERE id IN (SELECT l.id FROM ${ownedBy(regionId)})`)
      .use()
      .run();
  }

  /** Numbers are not used again, also after a rollback, while the store is open. */
  #takeId(): number {
    this.#next ??= Number(columnsOf(this.#last.use().get())[0] ?? 0) + 1;
    return this.#next++;
  }
}

/** Rows that belong to none of the entries. */
export function countOrphans(database: DatabaseSync, regions: readonly ValueRegion[]): number {
  const count = (from: string): number =>
    Number(columnsOf(prepareArrays(database, `SELECT count(*) FROM ${from}`).get())[0]);
  const owned = regions.filter(mayHaveLargeValues).map(({ id }) => count(ownedBy(id)));
  return owned.reduce((left, some) => left - some, count('large_values'));
}

export function removeOrphans(database: DatabaseSync, regions: readonly ValueRegion[]): void {
  database.exec('CREATE TEMP TABLE owned(id INTEGER PRIMARY KEY)');
  for (const { id } of regions) {
    database.exec(`INSERT OR IGNORE INTO owned SELECT l.id FROM ${ownedBy(id)}`);
  }
  database.exec('DELETE FROM large_values WHERE id NOT IN owned');
  database.exec('DROP TABLE owned');
}

/** SQL for the rows of a region. */
function ownedBy(regionId: number): string {
  return `${entriesTable(regionId)} AS e CROSS JOIN large_values AS l ON l.id = ${referenceOf('e')} AND l.seal = e.seal`;
}

function toReference(id: number): Uint8Array {
  return Buffer.from(String(id), 'latin1');
}
