// The `changes` table records the changes of each commit, in the same transaction. It is trimmed to
// a number of changes and an age. `recorded-changes.ts` reads it.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { storeDamaged } from '../errors.ts';
import {
  type LoggedChange,
  type LoggedCommit,
  openChangeRow,
  prepareInsertCommits,
  SELECT_CHANGE_ROWS,
} from './change-rows.ts';
import { columnsOf, prepareArrays } from './schema.ts';

export interface ChangeLogLimits {
  readonly maxChanges: number;
  readonly maxChangeAgeMs: number;
}

/** Transactions between two searches for changes that are too old. */
const WRITES_BETWEEN_TRIMS = 1000;

/** The writer's side of the log. Commits of a transaction are collected, and written at its end. */
export class ChangeLog {
  readonly #limits: ChangeLogLimits;
  readonly #insert: (commits: readonly LoggedCommit[], atMs: number) => void;
  readonly #counts: StatementSync;
  readonly #firstSince: StatementSync;
  readonly #countBefore: StatementSync;
  readonly #deleteBefore: StatementSync;
  readonly #pending: LoggedCommit[] = [];
  #count: number;
  #writesSinceTrim = 0;

  constructor(database: DatabaseSync, limits: ChangeLogLimits) {
    const prepare = (sql: string): StatementSync => prepareArrays(database, sql);
    this.#limits = limits;
    this.#insert = prepareInsertCommits(database);
    this.#counts = prepare('SELECT sequence, count FROM changes ORDER BY sequence');
    this.#firstSince = prepare(
      'SELECT sequence FROM changes WHERE at_ms >= ? ORDER BY sequence LIMIT 1',
    );
    this.#countBefore = prepare('SELECT sum(count) FROM changes WHERE sequence < ?');
    this.#deleteBefore = prepare('DELETE FROM changes WHERE sequence < ?');
    this.#count = this.#sumBefore(Number.MAX_SAFE_INTEGER);
  }

  /** Sequences must be consecutive. */
  record(sequence: number, changes: readonly LoggedChange[]): void {
    this.#pending.push({ sequence, changes });
  }

  /** Changes in the table. */
  get count(): number {
    return this.#count;
  }

  /** Number of commits not written yet. Pass it to `undoTo` to drop those recorded later. */
  get pending(): number {
    return this.#pending.length;
  }

  undoTo(pending: number): void {
    this.#pending.length = pending;
  }

  /** Writes the recorded commits with this time, and trims. Call it at the end of a transaction. */
  write(nowMs: number): void {
    this.#insert(this.#pending, nowMs);
    for (const { changes } of this.#pending) this.#count += changes.length;
    this.#pending.length = 0;
    this.#trim(nowMs);
  }

  /** Trims a tenth of the log at a time, so that most commits cost nothing. Never splits a row. */
  #trim(nowMs: number): void {
    this.#writesSinceTrim += 1;
    const { maxChanges, maxChangeAgeMs } = this.#limits;
    if (this.#count > maxChanges + maxChanges / 10) this.#dropBefore(this.#findFirst(maxChanges));
    if (this.#writesSinceTrim >= WRITES_BETWEEN_TRIMS) {
      this.#writesSinceTrim = 0;
      // Times rise with sequences. If the clock was set back, some changes stay longer.
      const [first] = columnsOf(this.#firstSince.get(nowMs - maxChangeAgeMs));
      if (typeof first === 'number') this.#dropBefore(first);
    }
  }

  /** The first row of the least number of latest rows that have this many changes. */
  #findFirst(changes: number): number {
    let left = this.#count;
    for (const row of this.#counts.iterate()) {
      const [sequence, count] = columnsOf(row);
      left -= Number(count);
      if (left < changes) return Number(sequence);
    }
    return 0;
  }

  #dropBefore(sequence: number): void {
    this.#count -= this.#sumBefore(sequence);
    this.#deleteBefore.run(sequence);
  }

  #sumBefore(sequence: number): number {
    return Number(columnsOf(this.#countBefore.get(sequence))[0]);
  }
}

/** Throws when a change has a future sequence: it would later become part of that commit. */
export function checkLastChange(database: DatabaseSync, file: string, latest: number): void {
  const sql = `${SELECT_CHANGE_ROWS} ORDER BY sequence DESC LIMIT 1`;
  const found = prepareArrays(database, sql).get();
  if (found === undefined) return;
  const row = openChangeRow(found);
  if (row === undefined) throw storeDamaged(file, 'its last change fails its checksum');
  const last = row.sequence + row.commits - 1;
  if (last <= latest) return;
  throw storeDamaged(file, `it has changes of commit ${last}, but ends with commit ${latest}`);
}
