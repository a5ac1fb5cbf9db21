// Reads the `changes` table in pages; `put-values.ts` adds the values.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ChangesOutcome, ChangesWanted, SequenceAtOutcome } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { decodeKey, isPlain } from '../key-encoding.ts';
import { findChangeFlaw, SELECT_CHANGES } from './change-log.ts';
import { type OpenChange, PutValues, type ValueSource } from './put-values.ts';
import { columnsOf, prepareArrays } from './schema.ts';

interface ReaderOptions {
  readonly database: DatabaseSync;
  readonly file: string;
  /** The commit that the connection shows. */
  readonly latest: () => number;
  readonly findRegion: (name: string) => ValueSource | undefined;
}

/** Columns of `SELECT_CHANGES`, as the file has them. */
type LoggedRow = readonly unknown[];

export class RecordedChanges {
  readonly #options: ReaderOptions;
  readonly #first: StatementSync;
  readonly #page: StatementSync;
  readonly #restOfCommit: StatementSync;
  readonly #values: PutValues;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#first = prepareArrays(options.database, 'SELECT min(sequence) FROM changes');
    this.#page = prepareArrays(
      options.database,
      `${SELECT_CHANGES} WHERE sequence > ? ORDER BY sequence, ordinal LIMIT ?`,
    );
    this.#restOfCommit = prepareArrays(
      options.database,
      `${SELECT_CHANGES} WHERE sequence = ? AND ordinal > ? ORDER BY ordinal`,
    );
    this.#values = new PutValues(options);
  }

  /** Drops the statements of a region that no longer exists. */
  forget(regionId: number): void {
    this.#values.forget(regionId);
  }

  /**
   * Whole commits after `afterSequence`, as `Engine.readChanges` promises. Sequences are consecutive
   * and every commit has at least one change. So a gap at the beginning was trimmed, and any other
   * gap is damage.
   */
  read(afterSequence: number, limit: number, wanted: ChangesWanted = {}): ChangesOutcome {
    const latest = this.#options.latest();
    const oldest = this.#oldest(latest);
    if (afterSequence < oldest || afterSequence > latest) return { kind: 'gone', oldest, latest };
    if (limit <= 0) return { kind: 'changes', changes: [], through: afterSequence, latest };
    const { isLastPage, rows } = this.#readCommits(afterSequence, limit);
    const changes = this.#open(rows, afterSequence);
    const through = changes.at(-1)?.sequence ?? afterSequence;
    if (isLastPage && through !== latest) throw this.#missing();
    const { isWanted, regions } = wanted;
    const chosen = changes.filter(
      (change) => regions?.has(change.region) !== false && isWanted?.(change) !== false,
    );
    if (wanted.values !== 'kept') return { kind: 'changes', changes: chosen, through, latest };
    const end = this.#values.add(chosen, wanted.maxBytes ?? Number.POSITIVE_INFINITY);
    const next = chosen[end];
    if (next === undefined) return { kind: 'changes', changes: chosen, through, latest };
    // The commits in between have no wanted changes.
    return { kind: 'changes', changes: chosen.slice(0, end), through: next.sequence - 1, latest };
  }

  /**
   * As `Engine.findSequenceAt` promises. Times rise with sequences, unless the clock was set back.
   */
  findSequenceAt(atMs: number): SequenceAtOutcome {
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
      const reason = 'a recorded change belongs to a commit that does not exist';
      throw storeDamaged(this.#options.file, reason);
    }
    return (typeof first === 'number' ? first : latest + 1) - 1;
  }

  #readCommits(
    afterSequence: number,
    limit: number,
  ): { readonly rows: readonly LoggedRow[]; readonly isLastPage: boolean } {
    // The statements were prepared to return arrays of columns.
    const rows = this.#page.all(afterSequence, limit + 1) as unknown as readonly LoggedRow[];
    const next = rows[limit]?.[0];
    if (next === undefined) return { rows, isLastPage: true };
    let end = limit;
    while (end > 0 && rows[end - 1]?.[0] === next) end -= 1;
    if (end > 0) return { rows: rows.slice(0, end), isLastPage: false };
    const rest = this.#restOfCommit.all(Number(next), Number(rows[limit]?.[1]));
    return { rows: [...rows, ...(rest as unknown as readonly LoggedRow[])], isLastPage: false };
  }

  /** Throws when a row is damaged, or one is missing in between. */
  #open(rows: readonly LoggedRow[], afterSequence: number): readonly OpenChange[] {
    let lastSequence = afterSequence;
    let lastOrdinal: unknown = 0;
    let change: OpenChange | undefined;
    return rows.map((row) => {
      change = openLoggedRow(row, change, this.#options.file);
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
}

/**
 * Throws when the row is damaged. Kind and region are nearly always those of the previous change:
 * then its strings are reused and need no check.
 */
function openLoggedRow(row: LoggedRow, before: OpenChange | undefined, file: string): OpenChange {
  // Columns are read by index: this runs for each change of a log, and destructuring is slower.
  const sequence = row[0];
  const key = row[4];
  const at = row[5];
  const isAlike = before !== undefined && row[2] === before.kind && row[3] === before.region;
  const isKeyAlike = typeof key === 'string' && key !== '' && before?.key != null && isPlain(key);
  const isNumbered = typeof sequence === 'number' && typeof row[1] === 'number';
  if (isNumbered && isAlike && isKeyAlike && typeof at === 'number' && at >= 0) {
    return { sequence, atMs: at, kind: before.kind, region: before.region, key };
  }
  const flaw = isNumbered
    ? findChangeFlaw({ kind: row[2], region: row[3], key, at_ms: at })
    : 'has a change without a number';
  if (!isNumbered || flaw !== undefined) {
    throw storeDamaged(file, `recorded commit ${sequence} ${flaw}`);
  }
  return {
    sequence,
    // `findChangeFlaw` checked the types: a time, a known kind, the name of a region, a key or none.
    atMs: at as number,
    kind: row[2] as OpenChange['kind'],
    region: row[3] as string,
    key: typeof key === 'string' ? decodeKey(key) : null,
  };
}
