// Reads a region from a key on, in batches that SQLite concatenates. The first read of a batch
// verifies keys and seals, and remembers the length and CRC of its values. Until the next commit
// later reads of the batch verify only those two.

import { crc32 } from 'node:zlib';
import type { EntryBytes } from '../../value/entry-bytes.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';
import type { KeyNeighbours } from './key-neighbours.ts';
import { areTextsAscending } from './key-order.ts';
import type { EntrySource } from './large-values.ts';
import { columnsOf } from './schema.ts';
import { type JoinedBy, type OpenedBatch, openBatch } from './sealed-bytes.ts';
import type { LazyStatement, StatementCache } from './statement-cache.ts';
import { AFTER_ALL_KEYS } from './window-reader.ts';

/** A batch of values, joined by commas as elements of a JSON array. */
export interface ElementBatch {
  readonly values: Uint8Array;
  readonly count: number;
  /** Key of the last entry, where more may follow. */
  readonly last: string | undefined;
}

interface KnownBatch {
  /** Key of its last entry as the file has it; undefined for the last batch of the region. */
  readonly storedLast: string | undefined;
  readonly count: number;
  readonly bytes: number;
  readonly crc: number;
}

/** Enough for two gigabytes of values. The rest of a larger region is verified at every read. */
const MAX_KNOWN = 16_384;

export class BatchReader {
  readonly #neighbours: KeyNeighbours;
  readonly #damaged: () => Error;
  readonly #ahead: LazyStatement;
  readonly #sealed: Readonly<Record<JoinedBy, LazyStatement>>;
  readonly #values: LazyStatement;
  /** By the stored key that precedes the batch. */
  readonly #known: Map<string, KnownBatch> = new Map();
  /** The commit that `#known` was read at. */
  #sequence = -1;

  /** `damaged` makes the error of an entry that fails its checksum. */
  constructor(
    statements: StatementCache,
    { table, value }: EntrySource,
    neighbours: KeyNeighbours,
    damaged: () => Error,
  ) {
    const between = `FROM ${table} WHERE "key" > ? AND "key" <= ?`;
    const prepare = (sql: string): LazyStatement => statements.lazy(sql);
    // With an upper key no inner query has to count rows, which halves the cost. The primary key
    // delivers rows in order; an ORDER BY inside the aggregates would sort them again and take three
    // times as long. The separators are literals because a function would be called for each row.
    const prepareSealed = (separator: string): LazyStatement =>
      prepare(
        `SELECT CAST(group_concat("key", char(0)) AS BLOB), CAST(group_concat(${value}, '${separator}') AS BLOB), CAST(group_concat(seal, '') AS BLOB) ${between}`,
      );
    this.#neighbours = neighbours;
    this.#damaged = damaged;
    this.#ahead = prepare(
      `SELECT "key" FROM ${table} WHERE "key" > ? ORDER BY "key" LIMIT 1 OFFSET ?`,
    );
    this.#sealed = { lines: prepareSealed('\n'), commas: prepareSealed(',') };
    this.#values = prepare(`SELECT CAST(group_concat(${value}, ',') AS BLOB) ${between}`);
  }

  /** Up to `rows` entries after `after`; undefined when there are none. */
  readEntries(after: string, rows: number): EntryBytes | undefined {
    const batch = this.#read(after, rows, 'lines')?.batch;
    return batch && { ...batch, release: () => releaseBytes(batch.values.bytes) };
  }

  /**
   * The same as elements. The batch is remembered unless `most` cut it short: the limits of requests
   * would otherwise split the region into ever smaller batches.
   */
  readElements(
    after: string,
    { most, rows }: { readonly rows: number; readonly most: number },
    sequence: number,
  ): ElementBatch | undefined {
    const read = this.#read(after, rows, 'commas');
    if (read === undefined) return undefined;
    const { batch, storedLast } = read;
    const { bytes: values, ends } = batch.values;
    const known = { storedLast, count: ends.length, bytes: values.length, crc: batch.crc };
    this.#keepOf(sequence);
    if (rows < most && this.#known.size < MAX_KNOWN) this.#known.set(encodeKey(after), known);
    return toElements(values, known);
  }

  /** The remembered batch after `after`; undefined if there is none of at most `most` entries. */
  readKnown(after: string, most: number, sequence: number): ElementBatch | undefined {
    this.#keepOf(sequence);
    const storedAfter = encodeKey(after);
    const known = this.#known.get(storedAfter);
    if (known === undefined || known.count > most) return undefined;
    const row = this.#values.use().get(storedAfter, known.storedLast ?? AFTER_ALL_KEYS);
    const [values] = columnsOf(row);
    const isSound =
      values instanceof Uint8Array && values.length === known.bytes && crc32(values) === known.crc;
    if (!isSound) throw this.#damaged();
    return toElements(values, known);
  }

  #keepOf(sequence: number): void {
    if (sequence === this.#sequence) return;
    this.#sequence = sequence;
    this.#known.clear();
  }

  #read(
    after: string,
    rows: number,
    joinedBy: JoinedBy,
  ): { readonly batch: OpenedBatch; readonly storedLast: string | undefined } | undefined {
    const storedAfter = encodeKey(after);
    const storedLast = this.#findLast(storedAfter, rows);
    // Aggregates return bytes, or NULL for no rows, whatever the file contains.
    const [storedKeys, values, seals] = columnsOf(
      this.#sealed[joinedBy].use().get(storedAfter, storedLast ?? AFTER_ALL_KEYS),
    ) as readonly (Uint8Array | null)[];
    if (storedKeys == null && seals == null && storedLast === undefined) return undefined;
    const batch =
      storedKeys && values && seals && openBatch({ storedKeys, values, seals }, joinedBy);
    const isSound =
      batch != null &&
      hasEnded(batch.keys.ends.length, rows, storedLast) &&
      areTextsAscending(batch.keys, after);
    if (!isSound) throw this.#damaged();
    releaseBytes(seals);
    return { batch, storedLast };
  }

  /** The last of the `rows` keys after `storedAfter`; undefined when there are fewer. */
  #findLast(storedAfter: string, rows: number): string | undefined {
    const found = this.#ahead.use().get(storedAfter, rows - 1);
    const [last] = columnsOf(found);
    const isText = typeof last === 'string';
    if (!this.#neighbours.isLowerSound(storedAfter) || (found !== undefined && !isText)) {
      throw this.#damaged();
    }
    return isText ? last : undefined;
  }
}

/** Frees a buffer at once. Each value from SQLite has a separate buffer, so nothing shares it. */
function releaseBytes(bytes: Uint8Array | null | undefined): void {
  if (bytes?.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
}

function toElements(values: Uint8Array, { count, storedLast }: KnownBatch): ElementBatch {
  return { values, count, last: storedLast === undefined ? undefined : decodeKey(storedLast) };
}

/**
 * Whether a batch has the number of entries that `#findLast` announced. A damaged key that sorts
 * after the last one makes it shorter.
 */
function hasEnded(count: number, rows: number, last: string | undefined): boolean {
  return last === undefined ? count < rows : count === rows;
}
