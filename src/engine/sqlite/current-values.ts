// Reads the current values of keys that were last written within a range of commits. SQLite
// concatenates a batch, so that one CRC verifies all its values.

import { valueColumns } from './large-values.ts';
import { parseVersions } from './parse-versions.ts';
import { entriesTable } from './schema.ts';
import { areKeysSound, areVersionsSound, sealedLength } from './seal.ts';
import { findValues } from './sealed-bytes.ts';
import type { LazyStatement, StatementCache } from './statement-cache.ts';

/** Commits from `first` to `last`. */
export interface CommitRange {
  readonly first: number;
  readonly last: number;
}

/** Entries that were written in the range, by column. */
export interface WrittenEntries {
  /** Position of each key in the list that was passed. */
  readonly positions: readonly number[];
  readonly versions: readonly number[];
  readonly values: readonly string[];
  /** Bytes of each value. */
  readonly sizes: Uint32Array;
}

const NOTHING: WrittenEntries = {
  positions: [],
  versions: [],
  values: [],
  sizes: new Uint32Array(0),
};

export class CurrentValues {
  readonly #damaged: () => Error;
  readonly #values: LazyStatement;
  readonly #sizes: LazyStatement;

  /** `damaged` makes the error of an entry that fails its checksum. */
  constructor(statements: StatementCache, regionId: number, damaged: () => Error) {
    this.#damaged = damaged;
    // CROSS JOIN fixes the join order, so that rows come in the order of the keys.
    const from = `FROM json_each(?) AS k CROSS JOIN ${entriesTable(regionId)} AS e ON e."key" = k.value AND e.version >= ? AND e.version <= ?`;
    const columns = `group_concat(k.key, ','), group_concat(e.version, ','), group_concat(e.seal, '')`;
    this.#sizes = statements.lazy(`SELECT ${columns} ${from}`);
    this.#values = statements.lazy(
      `SELECT ${columns}, CAST(group_concat(${valueColumns('e').value}, '\n') AS BLOB) ${from}`,
    );
  }

  read(storedKeys: readonly string[], range: CommitRange): WrittenEntries {
    const { positions, seals, values, versions } = this.#open(this.#values, storedKeys, range);
    if (positions.length === 0) return NOTHING;
    const isSound =
      values instanceof Uint8Array &&
      findValues(Buffer.from(seals, 'latin1'), values, 'lines') !== undefined;
    if (!isSound) throw this.#damaged();
    const texts = Buffer.from(values.buffer, values.byteOffset, values.length)
      .toString()
      .split('\n');
    const sizes = new Uint32Array(positions.length);
    for (let i = 0; i < positions.length; i++) sizes[i] = sealedLength(seals, i);
    return { positions, versions, values: texts, sizes };
  }

  /** Bytes of each value, 0 where the entry was not written in the range. Reads no value. */
  measure(storedKeys: readonly string[], range: CommitRange): Uint32Array {
    const { positions, seals } = this.#open(this.#sizes, storedKeys, range);
    const sizes = new Uint32Array(storedKeys.length);
    for (const [i, position] of positions.entries()) sizes[position] = sealedLength(seals, i);
    return sizes;
  }

  #open(
    statement: LazyStatement,
    storedKeys: readonly string[],
    { first, last }: CommitRange,
  ): {
    readonly positions: readonly number[];
    readonly versions: readonly number[];
    readonly seals: string;
    readonly values: unknown;
  } {
    // One row of aggregates: texts, or NULL when no entry is found.
    const row = statement
      .use()
      .get(JSON.stringify(storedKeys), first, last) as unknown as readonly [
      string | null,
      string | null,
      string | null,
      unknown,
    ];
    const [positionText, versionText, sealText, values] = row;
    if (positionText === null) return { positions: [], versions: [], seals: '', values: undefined };
    const [versions, seals] = [parseVersions(versionText ?? ''), sealText ?? ''];
    const positions = parseVersions(positionText);
    const found = positions.map((position) => storedKeys[position] ?? '');
    if (!areKeysSound(seals, found) || !areVersionsSound(seals, versions)) throw this.#damaged();
    return { positions, versions, seals, values };
  }
}
