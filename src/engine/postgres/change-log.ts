// The `changes` table: one row a commit and region, with the values. Servers follow it, feeds
// read it.

import type { ClientBase } from 'pg';
import type { ChangesOutcome, Commit, CommittedChange, RecordedChange } from '../engine.ts';
import { decodeKey } from '../key-encoding.ts';
import { LOG_COLUMNS } from './commit-function.ts';
import type { RegionChangeKind } from './store-state.ts';

/** In the order of the numbers that stand for them in the table. */
export const KINDS: readonly ChangeKind[] = [
  'write',
  'clear',
  'create-region',
  'destroy-region',
  'add-index',
  'drop-index',
];

export type ChangeKind = 'write' | RegionChangeKind;

export interface LogRow {
  readonly sequence: number;
  readonly kind: ChangeKind;
  /** Name of the region. */
  readonly region: string;
  readonly keys: readonly string[];
  /** As many as keys where entries were written; an empty text stands for a removal. */
  readonly values: readonly string[];
  readonly server: number;
  readonly batch: number;
  readonly request: number;
  readonly countDelta: number;
  readonly bytesDelta: number;
  readonly position: number;
}

/** One page of the log while following it. */
const PAGE_ROWS = 2000;

/** A row of `LOG_COLUMNS`, as texts. */
export type RawRow = readonly (string | null)[];

export function toLogRow(raw: RawRow): LogRow {
  const [sequence, , kind, , region, keys, values, server, batch, request, count, bytes, position] =
    raw;
  return {
    sequence: Number(sequence),
    kind: KINDS[Number(kind)] ?? 'write',
    region: region ?? '',
    // `array_to_json` prints an array of texts.
    keys: keys == null ? [] : (JSON.parse(keys) as string[]).map(decodeKey),
    values: values == null ? [] : values.split('\n'),
    server: Number(server),
    batch: Number(batch),
    request: Number(request),
    countDelta: Number(count),
    bytesDelta: Number(bytes),
    position: Number(position),
  };
}

export function toCommit(row: LogRow): Commit {
  return { sequence: row.sequence, changes: toChanges(row) };
}

function toChanges({ kind, keys, region, values }: LogRow): readonly CommittedChange[] {
  switch (kind) {
    case 'write':
      return keys.map((key, i): CommittedChange => {
        const value = values[i] ?? '';
        return value === '' ? { kind: 'remove', region, key } : { kind: 'put', region, key, value };
      });
    case 'add-index':
    case 'drop-index':
      return [{ kind, region, index: keys[0] ?? '' }];
    default:
      return [{ kind, region }];
  }
}

/** The rows behind a commit, whole commits alone; `isRest` when nothing follows. */
export async function readRows(
  client: ClientBase,
  afterSequence: number,
): Promise<{ readonly rows: readonly LogRow[]; readonly isRest: boolean }> {
  const result = await client.query<(string | null)[]>({
    name: 'follow',
    text: `SELECT ${LOG_COLUMNS} FROM changes c WHERE c.sequence > $1
           ORDER BY c.sequence, c.ordinal LIMIT ${PAGE_ROWS}`,
    values: [afterSequence],
    rowMode: 'array',
  });
  const rows = result.rows.map(toLogRow);
  return { rows, isRest: rows.length < PAGE_ROWS };
}

/** As `Engine.readChanges` promises. */
export async function readChanges(
  client: ClientBase,
  afterSequence: number,
  limit: number,
): Promise<ChangesOutcome> {
  const bounds = await client.query<(string | null)[]>({
    text: 'SELECT min(sequence), max(sequence) FROM changes',
    rowMode: 'array',
  });
  const latest = Number(bounds.rows[0]?.[1] ?? 0);
  const oldest = Number(bounds.rows[0]?.[0] ?? latest + 1) - 1;
  if (afterSequence < oldest || afterSequence > latest) return { kind: 'gone', oldest, latest };
  const changes: RecordedChange[] = [];
  let after = afterSequence;
  for (;;) {
    const { isRest, rows } = await readRows(client, after);
    // Trimmed between the two statements.
    const first = rows[0]?.sequence ?? after + 1;
    if (first > after + 1) return { kind: 'gone', oldest: first - 1, latest };
    const isFull = addCommits(changes, rows, limit);
    if (isRest || isFull) return { kind: 'changes', changes };
    after = rows.at(-1)?.sequence ?? after;
  }
}

/** Adds whole commits up to `limit` changes, or one that alone holds more; whether that was all. */
function addCommits(changes: RecordedChange[], rows: readonly LogRow[], limit: number): boolean {
  for (const row of rows) {
    const recorded = toChanges(row).map((change) => toRecorded(change, row.sequence));
    const isTooMuch = changes.length + recorded.length > limit;
    if (isTooMuch && (changes.length > 0 || limit <= 0)) return true;
    changes.push(...recorded);
  }
  return changes.length >= limit;
}

function toRecorded(change: CommittedChange, sequence: number): RecordedChange {
  const { kind, region } = change;
  const key = 'key' in change ? change.key : 'index' in change ? change.index : null;
  return { sequence, kind, region, key };
}
