// Reads the `changes` table, and the values of the entries that still have the version a change
// gave them. Rows are read in pages and values by batches, one statement per region.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ChangesOutcome, ChangesWanted, PlaceOutcome, RecordedChange } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';
import { findChangeFlaw, SELECT_CHANGES } from './change-log.ts';
import { columnsOf, entriesTable, prepareArrays } from './schema.ts';
import { openEntry } from './seal.ts';

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

type LoggedRow = RecordedChange & { readonly ordinal: number };

export class RecordedChanges {
  readonly #options: ReaderOptions;
  readonly #first: StatementSync;
  readonly #page: StatementSync;
  readonly #values = new Map<number, StatementSync>();

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#first = prepareArrays(options.database, 'SELECT min(sequence) FROM changes');
    this.#page = prepareArrays(
      options.database,
      `${SELECT_CHANGES} WHERE sequence > ? ORDER BY sequence, ordinal LIMIT ?`,
    );
  }

  /** Lets go of the statement of a region that no longer exists. */
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
    const through = rows.at(-1)?.sequence ?? afterSequence;
    if (!areDense(rows, afterSequence) || (isRest && through !== latest)) {
      throw storeDamaged(this.#options.file, 'recorded changes are missing');
    }
    const { isWanted, regions } = wanted;
    const changes: RecordedChange[] = [];
    for (const { ordinal, ...change } of rows) {
      if (regions?.has(change.region) === false || isWanted?.(change) === false) continue;
      changes.push(change);
    }
    if (wanted.values !== 'kept') return { kind: 'changes', changes, through, latest };
    return { kind: 'changes', latest, ...this.#addValues(changes, through, wanted.maxBytes) };
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
    const { database, file } = this.#options;
    const toRow = (row: unknown): LoggedRow => openLoggedRow(columnsOf(row), file);
    const rows = this.#page.all(afterSequence, limit + 1).map(toRow);
    const next = rows[limit];
    if (next === undefined) return { rows, isRest: true };
    const whole = rows.filter((change) => change.sequence !== next.sequence);
    if (whole.length > 0) return { rows: whole, isRest: false };
    const commit = prepareArrays(database, `${SELECT_CHANGES} WHERE sequence = ? ORDER BY ordinal`);
    return { rows: commit.all(next.sequence).map(toRow), isRest: false };
  }

  /** Puts of entries that were not overwritten get their values, up to `maxBytes` of them. */
  #addValues(
    changes: readonly RecordedChange[],
    through: number,
    maxBytes = Number.POSITIVE_INFINITY,
  ): { readonly changes: readonly RecordedChange[]; readonly through: number } {
    const sources = new Map<string, ValueSource | undefined>();
    let mostBytes = 0;
    for (const { kind, region } of changes) {
      if (kind !== 'put') continue;
      if (!sources.has(region)) sources.set(region, this.#options.findRegion(region));
      mostBytes += sources.get(region)?.largestValue ?? 0;
    }
    if (mostBytes <= maxBytes) {
      return { changes: this.#withValues(changes, sources), through };
    }
    const kept: RecordedChange[] = [];
    let bytes = 0;
    for (const change of changes) {
      const last = kept.at(-1)?.sequence;
      if (bytes >= maxBytes && last !== undefined && last !== change.sequence) {
        return { changes: kept, through: change.sequence - 1 };
      }
      const [whole = change] = this.#withValues([change], sources);
      bytes += whole.value?.length ?? 0;
      kept.push(whole);
    }
    return { changes: kept, through };
  }

  #withValues(
    changes: readonly RecordedChange[],
    sources: ReadonlyMap<string, ValueSource | undefined>,
  ): readonly RecordedChange[] {
    const completed = [...changes];
    for (const [region, source] of sources) {
      if (source !== undefined) this.#readValues(completed, region, source.id);
    }
    return completed;
  }

  /** Completes the puts of one region. Of several puts of a key the last one alone can be current. */
  #readValues(changes: RecordedChange[], region: string, regionId: number): void {
    const places = new Map<string, number>();
    for (const [place, change] of changes.entries()) {
      if (change.kind !== 'put' || change.region !== region || change.key === null) continue;
      places.set(encodeKey(change.key), place);
    }
    const [first, last] = [changes[0]?.sequence, changes.at(-1)?.sequence];
    if (places.size === 0 || first === undefined || last === undefined) return;
    const storedKeys = [...places.keys()];
    const rows = this.#statementOf(regionId).all(JSON.stringify(storedKeys), first, last);
    for (const [i, storedKey] of storedKeys.entries()) {
      const columns = columnsOf(rows[i]);
      // Absent, or of a version that is not among these changes.
      if (columns.every((column) => column === null)) continue;
      const entry = openEntry(storedKey, columns);
      if (entry === undefined) {
        throw storeDamaged(this.#options.file, 'an entry fails its checksum');
      }
      const place = places.get(storedKey) ?? 0;
      const change = changes[place];
      if (change?.sequence !== entry.version) continue;
      changes[place] = { ...change, value: entry.value };
    }
  }

  #statementOf(regionId: number): StatementSync {
    const known = this.#values.get(regionId);
    if (known !== undefined) return known;
    // The outer join keeps the order and the number of the keys.
    const statement = prepareArrays(
      this.#options.database,
      `SELECT e.version, e.seal, e.value FROM json_each(?) AS k LEFT JOIN ${entriesTable(regionId)} AS e ON e."key" = k.value AND e.version >= ? AND e.version <= ?`,
    );
    this.#values.set(regionId, statement);
    return statement;
  }
}

function areDense(rows: readonly LoggedRow[], afterSequence: number): boolean {
  let before = { sequence: afterSequence, ordinal: 0 };
  return rows.every((row) => {
    const follows =
      row.sequence === before.sequence
        ? row.ordinal === before.ordinal + 1
        : row.sequence === before.sequence + 1 && row.ordinal === 0;
    before = row;
    return follows;
  });
}

function openLoggedRow(columns: readonly unknown[], file: string): LoggedRow {
  const [sequence, ordinal, kind, region, key, at] = columns;
  const isNumbered = typeof sequence === 'number' && typeof ordinal === 'number';
  const flaw = isNumbered
    ? findChangeFlaw({ kind, region, key, at_ms: at })
    : 'has a change without a number';
  if (!isNumbered || flaw !== undefined) {
    throw storeDamaged(file, `recorded commit ${sequence} ${flaw}`);
  }
  return {
    sequence,
    ordinal,
    // Without a flaw: a time, a known kind, the name of a region, and a key or none.
    atMs: at as number,
    kind: kind as RecordedChange['kind'],
    region: region as string,
    key: typeof key === 'string' ? decodeKey(key) : null,
  };
}
