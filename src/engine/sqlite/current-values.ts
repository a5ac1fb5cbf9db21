// The values that entries have now, of those keys alone that were written in a range of commits.
// SQLite puts a batch together, so that it is checked against its seals at once.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parseVersions } from './parse-versions.ts';
import { entriesTable, prepareArrays } from './schema.ts';
import { areKeysSound, areValuesSound, areVersionsSound, sealedLength } from './seal.ts';

/** Commits from `first` to `last`. */
export interface CommitRange {
  readonly first: number;
  readonly last: number;
}

/** Entries that were written in the range, by column. */
export interface WrittenEntries {
  /** Place of each key among those asked for. */
  readonly places: readonly number[];
  readonly versions: readonly number[];
  readonly values: readonly string[];
  /** Bytes of each value. */
  readonly sizes: Uint32Array;
}

const NOTHING: WrittenEntries = { places: [], versions: [], values: [], sizes: new Uint32Array(0) };

export class CurrentValues {
  readonly #damaged: () => Error;
  readonly #values: StatementSync;
  readonly #sizes: StatementSync;

  /** `damaged` makes the error of an entry that fails its checksum. */
  constructor(database: DatabaseSync, regionId: number, damaged: () => Error) {
    this.#damaged = damaged;
    // Not left to SQLite which side is looked up in the other: the order must be that of the keys.
    const from = `FROM json_each(?) AS k CROSS JOIN ${entriesTable(regionId)} AS e ON e."key" = k.value AND e.version >= ? AND e.version <= ?`;
    const columns = `group_concat(k.key, ','), group_concat(e.version, ','), group_concat(e.seal, '')`;
    this.#sizes = prepareArrays(database, `SELECT ${columns} ${from}`);
    this.#values = prepareArrays(
      database,
      `SELECT ${columns}, CAST(group_concat(e.value, '\n') AS BLOB) ${from}`,
    );
  }

  read(storedKeys: readonly string[], range: CommitRange): WrittenEntries {
    const { places, seals, values, versions } = this.#open(this.#values, storedKeys, range);
    if (places.length === 0) return NOTHING;
    const isSound = values instanceof Uint8Array && areValuesSound(seals, values);
    if (!isSound) throw this.#damaged();
    const texts = Buffer.from(values.buffer, values.byteOffset, values.length)
      .toString()
      .split('\n');
    const sizes = new Uint32Array(places.length);
    for (let i = 0; i < places.length; i++) sizes[i] = sealedLength(seals, i);
    return { places, versions, values: texts, sizes };
  }

  /** Bytes of each value, 0 where the entry was not written in the range. Reads no value. */
  measure(storedKeys: readonly string[], range: CommitRange): Uint32Array {
    const { places, seals } = this.#open(this.#sizes, storedKeys, range);
    const sizes = new Uint32Array(storedKeys.length);
    for (const [i, place] of places.entries()) sizes[place] = sealedLength(seals, i);
    return sizes;
  }

  #open(
    statement: StatementSync,
    storedKeys: readonly string[],
    { first, last }: CommitRange,
  ): {
    readonly places: readonly number[];
    readonly versions: readonly number[];
    readonly seals: string;
    readonly values: unknown;
  } {
    // One row of aggregates, which are texts, or NULL when no entry is found.
    const row = statement.get(JSON.stringify(storedKeys), first, last) as unknown as readonly [
      string | null,
      string | null,
      string | null,
      unknown,
    ];
    const [placeText, versionText, sealText, values] = row;
    if (placeText === null) return { places: [], versions: [], seals: '', values: undefined };
    const [versions, seals] = [parseVersions(versionText ?? ''), sealText ?? ''];
    const places = parseVersions(placeText);
    const found = places.map((place) => storedKeys[place] ?? '');
    if (!areKeysSound(seals, found) || !areVersionsSound(seals, versions)) throw this.#damaged();
    return { places, versions, seals, values };
  }
}
