// Reads a window of keys in either order. A damaged key can misdirect the scan at both of its ends,
// or end it early when it sorts beyond the window. So the neighbours of both ends are checked: they
// must pass their checksums and lie outside the window.

import { Buffer } from 'node:buffer';
import type { EntryBytes } from '../../value/entry-bytes.ts';
import type { ScanOrder } from '../engine.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';
import { isAboveLower, type KeyWindow } from '../key-window.ts';
import { isNeighbourSound } from './key-neighbours.ts';
import { areAscending } from './key-order.ts';
import type { EntrySource } from './large-values.ts';
import { columnsOf } from './schema.ts';
import { areKeysSound, countSealed } from './seal.ts';
import { openBatch } from './sealed-bytes.ts';
import type { LazyStatement, StatementCache } from './statement-cache.ts';

const NUL = '\0';
/** Sorts after all texts, and after keys that damage turned into a BLOB: UTF-8 has no such byte. */
export const AFTER_ALL_KEYS: Uint8Array = new Uint8Array([0xff]);

/** Some entries of a window, in its order. */
export interface WindowEntries {
  /** Undefined when there are none. */
  readonly batch: EntryBytes | undefined;
  readonly keys: readonly string[];
  /** Whether the window holds nothing after them. */
  readonly isEnd: boolean;
}

/** Bounds in the stored form of keys: the least text in the window, and the least above it. */
interface StoredBounds {
  readonly least: string;
  readonly end: string | Uint8Array;
}

type Walks = Readonly<Record<ScanOrder, LazyStatement>>;

export class WindowReader {
  readonly #damaged: () => Error;
  readonly #entries: Walks;
  readonly #keys: Walks;
  readonly #below: LazyStatement;
  readonly #above: LazyStatement;

  constructor(statements: StatementCache, { table, value }: EntrySource, damaged: () => Error) {
    const prepare = (sql: string): LazyStatement => statements.lazy(sql);
    // The LIMIT keeps the inner order from being optimized away.
    const walk = (results: string, columns: string, order: ScanOrder): LazyStatement =>
      prepare(
        `SELECT ${results} FROM (SELECT ${columns} FROM ${table} WHERE "key" >= ? AND "key" < ? ORDER BY "key" ${order} LIMIT ?)`,
      );
    const walks = (results: string, columns: string): Walks => ({
      asc: walk(results, columns, 'asc'),
      desc: walk(results, columns, 'desc'),
    });
    this.#damaged = damaged;
    this.#entries = walks(
      `CAST(group_concat("key", char(0)) AS BLOB), CAST(group_concat(value, '\n') AS BLOB), CAST(group_concat(seal, '') AS BLOB)`,
      `"key", ${value} AS value, seal`,
    );
    this.#keys = walks(`group_concat("key", char(0)), group_concat(seal, '')`, '"key", seal');
    const neighbour = `SELECT "key", seal FROM ${table} WHERE "key"`;
    this.#below = prepare(`${neighbour} < ? ORDER BY "key" DESC LIMIT 1`);
    this.#above = prepare(`${neighbour} >= ? ORDER BY "key" LIMIT 1`);
  }

  /** Up to `rows` entries. */
  readEntries(window: KeyWindow, rows: number): WindowEntries {
    const { end, least } = toStored(window);
    // Aggregates return bytes, or NULL for no rows, whatever the file contains.
    const [storedKeys, values, seals] = columnsOf(
      this.#entries[window.order].use().get(least, end, rows),
    ) as readonly (Uint8Array | null)[];
    const isEmpty = storedKeys == null && seals == null;
    const batch =
      storedKeys && values && seals ? openBatch({ storedKeys, values, seals }, 'lines') : undefined;
    if (batch === undefined && !isEmpty) throw this.#damaged();
    const keys = batch === undefined ? [] : Buffer.from(batch.keys.bytes).toString().split(NUL);
    this.#check(window, keys, rows);
    return { batch, keys, isEnd: keys.length < rows };
  }

  readKeys(window: KeyWindow, rows: number): Omit<WindowEntries, 'batch'> {
    const { keys } = this.#readKeys(window, rows);
    return { keys, isEnd: keys.length < rows };
  }

  /** How many entries have at most `maxBytes` together; at least one, at most `rows`. */
  countWithin(window: KeyWindow, rows: number, maxBytes: number): number {
    return countSealed(this.#readKeys(window, rows).seals, maxBytes);
  }

  #readKeys(
    window: KeyWindow,
    rows: number,
  ): { readonly keys: readonly string[]; readonly seals: string } {
    const { end, least } = toStored(window);
    // Aggregates return text, or NULL for no rows, whatever the file contains.
    const [text, seals] = columnsOf(
      this.#keys[window.order].use().get(least, end, rows),
    ) as readonly (string | null)[];
    const storedKeys = text?.split(NUL) ?? [];
    if (!areKeysSound(seals ?? '', storedKeys)) throw this.#damaged();
    const keys = storedKeys.map(decodeKey);
    this.#check(window, keys, rows);
    return { keys, seals: seals ?? '' };
  }

  /** Throws unless the keys, which passed their checksums, are all that a scan of `rows` must return. */
  #check(window: KeyWindow, keys: readonly string[], rows: number): void {
    const isSound =
      this.#beginsAtStart(window) &&
      areInOrder(window, keys) &&
      (keys.length === rows || this.#endsAtEnd(window, keys.at(-1)));
    if (!isSound) throw this.#damaged();
  }

  #beginsAtStart(window: KeyWindow): boolean {
    const { end, least } = toStored(window);
    const row = window.order === 'asc' ? this.#below.use().get(least) : this.#above.use().get(end);
    return isNeighbourSound(row);
  }

  /** Whether the key that follows the last one read is beyond the window, or there is none. */
  #endsAtEnd(window: KeyWindow, last: string | undefined): boolean {
    const { end, least } = toStored(window);
    const stored = last === undefined ? undefined : encodeKey(last);
    const row =
      window.order === 'asc'
        ? this.#above.use().get(stored === undefined ? least : stored + NUL)
        : this.#below.use().get(stored ?? end);
    if (row === undefined) return true;
    const [key] = columnsOf(row);
    if (!isNeighbourSound(row) || typeof key !== 'string') return false;
    const { lower, order, upper } = window;
    const found = decodeKey(key);
    return order === 'asc' ? upper !== undefined && found >= upper : !isAboveLower(lower, found);
  }
}

/** No key contains NUL, so appending one gives the least text above a key. */
function toStored({ lower, upper }: KeyWindow): StoredBounds {
  const least = lower === undefined ? '' : encodeKey(lower.key);
  return {
    least: lower === undefined || lower.isIncluded ? least : least + NUL,
    end: upper === undefined ? AFTER_ALL_KEYS : encodeKey(upper),
  };
}

function areInOrder({ lower, order, upper }: KeyWindow, keys: readonly string[]): boolean {
  const ascending = order === 'asc' ? keys : keys.toReversed();
  const least = ascending[0];
  const greatest = ascending.at(-1);
  if (least === undefined || greatest === undefined) return true;
  const isInside = isAboveLower(lower, least) && (upper === undefined || greatest < upper);
  return isInside && areAscending(ascending, '');
}
