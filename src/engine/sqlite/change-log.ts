// The `changes` table records the changes of each commit, in the same transaction. It is trimmed to
// a number of changes and an age. `recorded-changes.ts` reads it.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CommittedChange } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';

export interface ChangeLogLimits {
  readonly maxChanges: number;
  readonly maxChangeAgeMs: number;
}

/** Commits between two searches for changes that are too old. */
const COMMITS_BETWEEN_TRIMS = 1000;

/** From this number on, one statement records changes of one kind, in a quarter of the time. */
const MANY_CHANGES = 8;

export interface LoggedChange {
  readonly kind: CommittedChange['kind'];
  readonly region: string;
  readonly storedKey: string | null;
}

export function change(
  kind: LoggedChange['kind'],
  region: string,
  storedKey: string | null = null,
): LoggedChange {
  return { kind, region, storedKey };
}

/** A commit that is recorded, but not in the table yet. */
interface PendingCommit {
  readonly sequence: number;
  readonly changes: readonly LoggedChange[];
}

function isLike({ kind, region }: LoggedChange, other: LoggedChange | undefined): boolean {
  return other !== undefined && other.kind === kind && other.region === region;
}

/**
 * The writer's side of the log. Commits of a transaction are collected, and written at its end with
 * few statements.
 */
export class ChangeLog {
  readonly #database: DatabaseSync;
  readonly #limits: ChangeLogLimits;
  readonly #insert: StatementSync;
  readonly #insertAll: StatementSync;
  readonly #insertCommits: StatementSync;
  readonly #pending: PendingCommit[] = [];
  #rows: number;
  #commitsSinceTrim = 0;

  constructor(database: DatabaseSync, limits: ChangeLogLimits) {
    this.#database = database;
    this.#limits = limits;
    const into = 'INSERT INTO changes(sequence, ordinal, kind, region, "key", at_ms)';
    this.#insert = database.prepare(`${into} VALUES(?, ?, ?, ?, ?, ?)`);
    this.#insertAll = database.prepare(
      `${into} SELECT ?, k."key", ?, ?, k.value, ? FROM json_each(?) AS k`,
    );
    this.#insertCommits = database.prepare(
      `${into} SELECT ? + k."key", 0, ?, ?, k.value, ? FROM json_each(?) AS k`,
    );
    this.#rows = Number(database.prepare('SELECT count(*) AS rows FROM changes').get()?.['rows']);
  }

  /** Sequences must be consecutive. */
  record(sequence: number, changes: readonly LoggedChange[]): void {
    this.#pending.push({ sequence, changes });
  }

  /** Changes in the table. */
  get rows(): number {
    return this.#rows;
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
    for (let at = 0; at < this.#pending.length; ) at += this.#writeNext(at, nowMs);
    this.#pending.length = 0;
    this.#trim(nowMs);
  }

  /** Writes a commit, or several that are alike; returns how many. */
  #writeNext(at: number, nowMs: number): number {
    const commit = this.#pending[at];
    const [first] = commit?.changes ?? [];
    if (commit === undefined || first === undefined) return 1;
    const { changes, sequence } = commit;
    const alike = changes.length === 1 ? this.#countAlike(at, first) : 1;
    if (alike >= MANY_CHANGES) {
      const some = this.#pending.slice(at, at + alike);
      const keys = some.map((each) => each.changes[0]?.storedKey ?? null);
      this.#insertCommits.run(sequence, first.kind, first.region, nowMs, JSON.stringify(keys));
      this.#rows += alike;
      return alike;
    }
    if (changes.length >= MANY_CHANGES && changes.every((each) => isLike(first, each))) {
      const keys = changes.map(({ storedKey }) => storedKey);
      this.#insertAll.run(sequence, first.kind, first.region, nowMs, JSON.stringify(keys));
    } else {
      for (const [ordinal, { kind, region, storedKey }] of changes.entries()) {
        this.#insert.run(sequence, ordinal, kind, region, storedKey, nowMs);
      }
    }
    this.#rows += changes.length;
    return 1;
  }

  /** How many commits from this one on have one change each, of this kind in this region. */
  #countAlike(at: number, first: LoggedChange): number {
    let end = at + 1;
    for (; end < this.#pending.length; end += 1) {
      const changes = this.#pending[end]?.changes;
      if (changes?.length !== 1 || !isLike(first, changes[0])) break;
    }
    return end - at;
  }

  /** Trims a tenth of the log at a time, so that most commits cost nothing. Never splits a commit. */
  #trim(nowMs: number): void {
    this.#commitsSinceTrim += 1;
    const { maxChanges, maxChangeAgeMs } = this.#limits;
    if (this.#rows > maxChanges + maxChanges / 10) {
      const sql =
        'DELETE FROM changes WHERE sequence < (SELECT sequence FROM changes ORDER BY sequence DESC, ordinal DESC LIMIT 1 OFFSET ?)';
      this.#delete(sql, Math.max(0, maxChanges - 1));
    }
    if (this.#commitsSinceTrim >= COMMITS_BETWEEN_TRIMS) {
      this.#commitsSinceTrim = 0;
      // Times rise with sequences. If the clock was set back, some changes stay longer.
      const sql =
        'DELETE FROM changes WHERE sequence < coalesce((SELECT sequence FROM changes WHERE at_ms >= ? ORDER BY sequence LIMIT 1), 0)';
      this.#delete(sql, nowMs - maxChangeAgeMs);
    }
  }

  #delete(sql: string, parameter: number): void {
    this.#rows -= Number(this.#database.prepare(sql).run(parameter).changes);
  }
}

/** Throws when a change has a future sequence: it would later become part of that commit. */
export function checkLastChange(database: DatabaseSync, file: string, latest: number): void {
  const last = database.prepare('SELECT max(sequence) AS last FROM changes').get()?.['last'];
  if (last === null || (typeof last === 'number' && last <= latest)) return;
  throw storeDamaged(file, `it has changes of commit ${last}, but ends with commit ${latest}`);
}

/** Always includes the last column: SQLite detects a record of the wrong length when reading it. */
export const SELECT_CHANGES = 'SELECT sequence, ordinal, kind, region, "key", at_ms FROM changes';

/** Whether a change of this kind names a key, or an index in its place. */
const NAMES_KEY: Readonly<Record<CommittedChange['kind'], boolean>> = {
  put: true,
  remove: true,
  expire: true,
  clear: false,
  'create-region': false,
  'destroy-region': false,
  'alter-region': false,
  'add-index': true,
  'drop-index': true,
};

/** The defect of a row of `SELECT_CHANGES`, apart from its numbers. */
export function findChangeFlaw(row: Record<string, unknown>): string | undefined {
  const { key, kind, region, at_ms: at } = row;
  if (typeof kind !== 'string' || !isKind(kind)) return `has a change of unknown kind ${kind}`;
  if (typeof region !== 'string' || region === '') return 'has a change without a region';
  if (typeof at !== 'number' || at < 0) return 'has a change without a valid time';
  if (!NAMES_KEY[kind]) return key === null ? undefined : `names a key for ${kind}`;
  if (typeof key !== 'string' || key === '') return `names no key for ${kind}`;
  return encodeKey(decodeKey(key)) === key ? undefined : 'has a key that is not validly encoded';
}

function isKind(kind: string): kind is CommittedChange['kind'] {
  return Object.hasOwn(NAMES_KEY, kind);
}
