// Reads the first entries of a region, concatenated by SQLite. The first read at a commit verifies
// keys and seals, and remembers the keys, and the length and CRC of the values up to each of them.
// Until the next commit, reads of as many entries or fewer verify only length and CRC.

import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { FirstEntries } from '../engine.ts';
import { decodeKey, encodeKey, isPlain } from '../key-encoding.ts';
import { areAscending } from './key-order.ts';
import type { EntrySource } from './large-values.ts';
import { columnsOf } from './schema.ts';
import { areKeysSound } from './seal.ts';
import { findValues, type JoinedEnds } from './sealed-bytes.ts';
import type { LazyStatement, StatementCache } from './statement-cache.ts';
import { withoutPadding, withPadding } from './value-padding.ts';
import { AFTER_ALL_KEYS } from './window-reader.ts';

const NUL = '\0';
/** Larger reads are verified each time. */
const MAX_KNOWN = 128;
const NOTHING: FirstEntries = { keys: [], values: new Uint8Array(0) };

interface KnownEntries extends JoinedEnds {
  readonly sequence: number;
  readonly keys: readonly string[];
}

export class FirstReader {
  readonly #damaged: () => Error;
  readonly #last: LazyStatement;
  readonly #sealed: LazyStatement;
  readonly #values: LazyStatement;
  #known: KnownEntries | undefined;

  /** `damaged` makes the error of an entry that fails its checksum. */
  constructor(statements: StatementCache, { table, value }: EntrySource, damaged: () => Error) {
    const values = withPadding(`group_concat(${value}, ',')`);
    // As in batch-reader.ts, but without a lower bound, to include keys that damage made smaller
    // than any text.
    const upTo = `FROM ${table} WHERE "key" <= ?`;
    this.#damaged = damaged;
    this.#last = statements.lazy(`SELECT "key" FROM ${table} ORDER BY "key" LIMIT 1 OFFSET ?`);
    this.#sealed = statements.lazy(
      `SELECT group_concat("key", char(0)), ${values}, group_concat(seal, '') ${upTo}`,
    );
    this.#values = statements.lazy(`SELECT ${values} ${upTo}`);
  }

  /** The first `count` entries of `all` that the region has at this commit. */
  read(count: number, all: number, sequence: number): FirstEntries {
    const known = this.#known;
    return known?.sequence === sequence && known.keys.length >= count
      ? this.#readKnown(known, count)
      : this.#readSealed(count, all, sequence);
  }

  #readKnown({ crcs, ends, keys }: KnownEntries, count: number): FirstEntries {
    const last = keys[count - 1];
    if (last === undefined) return NOTHING;
    const [padded] = columnsOf(this.#values.use().get(encodeKey(last)));
    const values = padded instanceof Uint8Array ? withoutPadding(padded) : undefined;
    const isSound =
      values !== undefined &&
      values.length === ends[count - 1] &&
      crc32(values) === crcs[count - 1];
    if (!isSound) throw this.#damaged();
    return { keys: keys.slice(0, count), values };
  }

  #readSealed(count: number, all: number, sequence: number): FirstEntries {
    const [last] = count < all ? columnsOf(this.#last.use().get(count - 1)) : [];
    if (count < all && typeof last !== 'string') throw this.#damaged();
    // When all entries are wanted, the bound includes every row of the table. Whatever the file
    // contains, aggregates return text, their CAST bytes, and both NULL for no rows.
    const [keyText, padded, seals] = columnsOf(
      this.#sealed.use().get(typeof last === 'string' ? last : AFTER_ALL_KEYS),
    ) as readonly [string | null, Uint8Array | null, string | null];
    if (keyText === null && seals === null && all === 0) return NOTHING;
    if (keyText === null || padded === null || seals === null) throw this.#damaged();
    const values = withoutPadding(padded);
    const storedKeys = keyText.split(NUL);
    const found = findValues(Buffer.from(seals, 'latin1'), values, 'commas');
    const isSound =
      found !== undefined &&
      // A page that is missing from the tree loses its entries without an error from SQLite.
      storedKeys.length === count &&
      found.ends.length === count &&
      areKeysSound(seals, storedKeys);
    const keys = isPlain(keyText) ? storedKeys : storedKeys.map(decodeKey);
    if (!isSound || !areAscending(keys, '')) throw this.#damaged();
    if (count <= MAX_KNOWN) this.#known = { ...found, keys, sequence };
    return { keys, values };
  }
}
