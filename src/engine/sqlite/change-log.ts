// The `changes` table: what each commit changed, written in the same
// transaction, read by feeds, and trimmed to a number of changes and an age.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CommittedChange, RecordedChange } from '../engine.ts';
import { decodeKey } from './key-encoding.ts';

export interface ChangeLogLimits {
  readonly maxChanges: number;
  readonly maxChangeAgeMs: number;
}

/** How often, in commits, the log looks for changes that are too old. */
const COMMITS_BETWEEN_TRIMS = 1000;

export interface LoggedChange {
  readonly kind: CommittedChange['kind'];
  readonly region: string;
  readonly storedKey: string | null;
}

/** The writer's side of the log. */
export class ChangeLog {
  readonly #database: DatabaseSync;
  readonly #limits: ChangeLogLimits;
  readonly #insert: StatementSync;
  #rows: number;
  #commitsSinceTrim = 0;

  constructor(database: DatabaseSync, limits: ChangeLogLimits) {
    this.#database = database;
    this.#limits = limits;
    this.#insert = database.prepare(
      'INSERT INTO changes(sequence, ordinal, kind, region, "key", at_ms) VALUES(?, ?, ?, ?, ?, ?)',
    );
    this.#rows = Number(database.prepare('SELECT count(*) AS rows FROM changes').get()?.['rows']);
  }

  record(sequence: number, changes: readonly LoggedChange[], nowMs: number): void {
    for (const [ordinal, { kind, region, storedKey }] of changes.entries()) {
      this.#insert.run(sequence, ordinal, kind, region, storedKey, nowMs);
    }
    this.#rows += changes.length;
  }

  /**
   * Called inside every transaction. Trims only now and then, a tenth at a time,
   * so that most commits pay nothing. Never splits a commit.
   */
  trim(nowMs: number): void {
    this.#commitsSinceTrim += 1;
    const { maxChanges, maxChangeAgeMs } = this.#limits;
    if (this.#rows > maxChanges + maxChanges / 10) {
      const sql =
        'DELETE FROM changes WHERE sequence < (SELECT sequence FROM changes ORDER BY sequence DESC, ordinal DESC LIMIT 1 OFFSET ?)';
      this.#delete(sql, Math.max(0, maxChanges - 1));
    }
    if (this.#commitsSinceTrim >= COMMITS_BETWEEN_TRIMS) {
      this.#commitsSinceTrim = 0;
      // Times rise with sequences, unless the clock was set back: then some stay longer.
      const sql =
        'DELETE FROM changes WHERE sequence < coalesce((SELECT sequence FROM changes WHERE at_ms >= ? ORDER BY sequence LIMIT 1), 0)';
      this.#delete(sql, nowMs - maxChangeAgeMs);
    }
  }

  #delete(sql: string, parameter: number): void {
    this.#rows -= Number(this.#database.prepare(sql).run(parameter).changes);
  }
}

/** Whole commits after `afterSequence`, as `Engine.readChanges` promises. */
export function readChanges(
  database: DatabaseSync,
  afterSequence: number,
  limit: number,
): readonly RecordedChange[] {
  if (limit <= 0) return [];
  const columns = 'SELECT sequence, kind, region, "key" FROM changes';
  const rows = database
    .prepare(`${columns} WHERE sequence > ? ORDER BY sequence, ordinal LIMIT ?`)
    .all(afterSequence, limit + 1)
    .map(toRecordedChange);
  const next = rows[limit];
  if (next === undefined) return rows;
  const whole = rows.filter((change) => change.sequence !== next.sequence);
  if (whole.length > 0) return whole;
  return database
    .prepare(`${columns} WHERE sequence = ? ORDER BY ordinal`)
    .all(next.sequence)
    .map(toRecordedChange);
}

function toRecordedChange(row: Record<string, unknown>): RecordedChange {
  const key = row['key'];
  return {
    sequence: Number(row['sequence']),
    // Only ChangeLog.record writes this column.
    kind: row['kind'] as RecordedChange['kind'],
    region: String(row['region']),
    key: typeof key === 'string' ? decodeKey(key) : null,
  };
}
