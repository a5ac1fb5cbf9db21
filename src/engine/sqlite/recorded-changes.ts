// Reads the `changes` table, and the values of the entries that still have the version a change
// gave them. Rows are read in pages and values by batches, one statement per region.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ChangesOutcome, ChangesWanted, PlaceOutcome, RecordedChange } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';
import { findChangeFlaw, SELECT_CHANGES } from './change-log.ts';
import { type CommitRange, CurrentValues } from './current-values.ts';
import { columnsOf, prepareArrays } from './schema.ts';

/** A region as far as its values are concerned. */
interface ValueSource {
  readonly id: number;
  readonly largestValue: number;
}

interface ReaderOptions {
  readonly database: DatabaseSync;
  readonly file: string;
  /** The commit that the connection shows. */
  readonly latest: () => number;
  readonly findRegion: (name: string) => ValueSource | undefined;
}

/** The puts of one region among some changes. */
interface RegionPuts {
  readonly source: ValueSource;
  /** Where they are, by stored key. */
  readonly places: Map<string, number>;
}

/** Columns of `SELECT_CHANGES`, as the file has them. */
type LoggedRow = readonly unknown[];

export class RecordedChanges {
  readonly #options: ReaderOptions;
  readonly #first: StatementSync;
  readonly #page: StatementSync;
  readonly #commit: StatementSync;
  readonly #values = new Map<number, CurrentValues>();

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#first = prepareArrays(options.database, 'SELECT min(sequence) FROM changes');
    this.#page = prepareArrays(
      options.database,
      `${SELECT_CHANGES} WHERE sequence > ? ORDER BY sequence, ordinal LIMIT ?`,
    );
    this.#commit = prepareArrays(
      options.database,
      `${SELECT_CHANGES} WHERE sequence = ? ORDER BY ordinal`,
    );
  }

  /** Lets go of the statements of a region that no longer exists. */
  forget(regionId: number): void {
    this.#values.delete(regionId);
  }

  /**
   * Whole commits after `afterSequence`, as `Engine.readChanges` promises. Every commit has a
   * change at least and takes the next number, so a gap at the beginning was trimmed, and any
   * other is damage.
   */
  read(afterSequence: number, limit: number, wanted: ChangesWanted = {}): ChangesOutcome {
    const latest = this.#options.latest();
    const oldest = this.#oldest(latest);
    if (afterSequence < oldest || afterSequence > latest) return { kind: 'gone', oldest, latest };
    if (limit <= 0) return { kind: 'changes', changes: [], through: afterSequence, latest };
    const { isRest, rows } = this.#readCommits(afterSequence, limit);
    const changes = this.#open(rows, afterSequence);
    const through = changes.at(-1)?.sequence ?? afterSequence;
    if (isRest && through !== latest) throw this.#missing();
    const { isWanted, regions } = wanted;
    const chosen = changes.filter(
      (change) => regions?.has(change.region) !== false && isWanted?.(change) !== false,
    );
    if (wanted.values !== 'kept') return { kind: 'changes', changes: chosen, through, latest };
    return { kind: 'changes', latest, ...this.#addValues(chosen, through, wanted.maxBytes) };
  }

  /** As `Engine.findPlace` promises. Times rise with sequences, unless the clock was set back. */
  findPlace(atMs: number): PlaceOutcome {
    const latest = this.#options.latest();
    const oldest = this.#oldest(latest);
    const [, firstAt] = this.#findFirst('');
    const isBefore = typeof firstAt !== 'number' || atMs <= firstAt;
    if (isBefore && oldest > 0) return { kind: 'gone', oldest, latest };
    const [found] = this.#findFirst('WHERE at_ms >= ?', atMs);
    return { kind: 'found', sequence: typeof found === 'number' ? found - 1 : latest };
  }

  /** Sequence and time of the first change for which the condition holds. */
  #findFirst(condition: string, ...parameters: readonly number[]): readonly unknown[] {
    const sql = `SELECT sequence, at_ms FROM changes ${condition} ORDER BY sequence LIMIT 1`;
    const row = prepareArrays(this.#options.database, sql).get(...parameters);
    return row === undefined ? [] : columnsOf(row);
  }

  #oldest(latest: number): number {
    const [first] = columnsOf(this.#first.get());
    const isCommit = typeof first === 'number' && first >= 1 && first <= latest;
    if (first !== null && !isCommit) {
      const reason = 'a recorded change is of a commit that never was';
      throw storeDamaged(this.#options.file, reason);
    }
    return (typeof first === 'number' ? first : latest + 1) - 1;
  }

  #readCommits(
    afterSequence: number,
    limit: number,
  ): { readonly rows: readonly LoggedRow[]; readonly isRest: boolean } {
    // Arrays of columns, as the statements were prepared.
    const rows = this.#page.all(afterSequence, limit + 1) as unknown as readonly LoggedRow[];
    const next = rows[limit]?.[0];
    if (next === undefined) return { rows, isRest: true };
    const whole = rows.filter(([sequence]) => sequence !== next);
    if (whole.length > 0) return { rows: whole, isRest: false };
    const commit = this.#commit.all(Number(next)) as unknown as readonly LoggedRow[];
    return { rows: commit, isRest: false };
  }

  /** Throws when a row is damaged, or one is missing in between. */
  #open(rows: readonly LoggedRow[], afterSequence: number): readonly RecordedChange[] {
    let lastSequence = afterSequence;
    let lastOrdinal: unknown = 0;
    return rows.map((row) => {
      const change = openLoggedRow(row, this.#options.file);
      const { sequence } = change;
      const ordinal = row[1];
      const follows =
        sequence === lastSequence
          ? ordinal === Number(lastOrdinal) + 1
          : sequence === lastSequence + 1 && ordinal === 0;
      if (!follows) throw this.#missing();
      lastSequence = sequence;
      lastOrdinal = ordinal;
      return change;
    });
  }

  #missing(): Error {
    return storeDamaged(this.#options.file, 'recorded changes are missing');
  }

  /** Puts of entries that were not overwritten get their values, up to `maxBytes` of them. */
  #addValues(
    changes: readonly RecordedChange[],
    through: number,
    maxBytes = Number.POSITIVE_INFINITY,
  ): { readonly changes: readonly RecordedChange[]; readonly through: number } {
    const puts = this.#findPuts(changes);
    const mostBytes = puts.reduce(
      (sum, { places, source }) => sum + places.size * source.largestValue,
      0,
    );
    const end = mostBytes <= maxBytes ? changes.length : this.#findEnd(changes, puts, maxBytes);
    const next = changes[end];
    const completed = changes.slice(0, end);
    for (const regionPuts of puts) this.#readValues(completed, regionPuts);
    return { changes: completed, through: next === undefined ? through : next.sequence - 1 };
  }

  /** The puts of each region that exists. Of several puts of a key the last one alone can be current. */
  #findPuts(changes: readonly RecordedChange[]): readonly RegionPuts[] {
    const regions = new Map<string, RegionPuts | undefined>();
    let [name, puts]: [string, RegionPuts | undefined] = ['', undefined];
    for (let place = 0; place < changes.length; place++) {
      const change = changes[place];
      if (change?.kind !== 'put' || change.key === null) continue;
      if (change.region !== name) {
        name = change.region;
        if (!regions.has(name)) {
          const source = this.#options.findRegion(name);
          regions.set(name, source && { source, places: new Map() });
        }
        puts = regions.get(name);
      }
      puts?.places.set(encodeKey(change.key), place);
    }
    return [...regions.values()].filter((found) => found !== undefined);
  }

  /** Behind the commit with which the values reach `maxBytes`. */
  #findEnd(
    changes: readonly RecordedChange[],
    puts: readonly RegionPuts[],
    maxBytes: number,
  ): number {
    const sizes = new Float64Array(changes.length);
    for (const { places, source } of puts) {
      const found = this.#valuesOf(source.id).measure([...places.keys()], rangeOf(changes));
      let i = 0;
      for (const place of places.values()) sizes[place] = found[i++] ?? 0;
    }
    let bytes = 0;
    for (let end = 0; end < changes.length; end++) {
      const isBorder = end > 0 && changes[end - 1]?.sequence !== changes[end]?.sequence;
      if (isBorder && bytes >= maxBytes) return end;
      bytes += sizes[end] ?? 0;
    }
    return changes.length;
  }

  /** Completes the puts of one region, as far as they are among these changes. */
  #readValues(changes: RecordedChange[], { places, source }: RegionPuts): void {
    const storedKeys: string[] = [];
    const wanted: number[] = [];
    for (const [storedKey, place] of places) {
      if (place >= changes.length) continue;
      storedKeys.push(storedKey);
      wanted.push(place);
    }
    if (wanted.length === 0) return;
    const found = this.#valuesOf(source.id).read(storedKeys, rangeOf(changes));
    for (const { place, value, version } of found) {
      const at = wanted[place] ?? 0;
      const change = changes[at];
      if (change?.sequence === version) changes[at] = { ...change, value };
    }
  }

  #valuesOf(regionId: number): CurrentValues {
    const known = this.#values.get(regionId);
    if (known !== undefined) return known;
    const { database, file } = this.#options;
    const values = new CurrentValues(database, regionId, () =>
      storeDamaged(file, 'an entry fails its checksum'),
    );
    this.#values.set(regionId, values);
    return values;
  }
}

function rangeOf(changes: readonly RecordedChange[]): CommitRange {
  return { first: changes[0]?.sequence ?? 0, last: changes.at(-1)?.sequence ?? 0 };
}

function openLoggedRow(row: LoggedRow, file: string): RecordedChange {
  // By index: this is done for each change of a log, and patterns of arrays take longer.
  const sequence = row[0];
  const kind = row[2];
  const region = row[3];
  const key = row[4];
  const at = row[5];
  const isNumbered = typeof sequence === 'number' && typeof row[1] === 'number';
  const flaw = isNumbered
    ? findChangeFlaw({ kind, region, key, at_ms: at })
    : 'has a change without a number';
  if (!isNumbered || flaw !== undefined) {
    throw storeDamaged(file, `recorded commit ${sequence} ${flaw}`);
  }
  return {
    sequence,
    // Without a flaw: a time, a known kind, the name of a region, and a key or none.
    atMs: at as number,
    kind: kind as RecordedChange['kind'],
    region: region as string,
    key: typeof key === 'string' ? decodeKey(key) : null,
  };
}
