// The `changes` table has one row per commit and region, with the values. Servers follow it;
// `recorded-changes.ts` reads it for feeds.

import type { ClientBase } from 'pg';
import type { Commit, CommittedChange } from '../engine.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';
import { LOG_COLUMNS } from './commit-answer.ts';
import { queryRows, type RawRow } from './query-rows.ts';

/** In the order of their numbers in the table. */
const KINDS: readonly ChangeKind[] = [
  'write',
  'clear',
  'create-region',
  'destroy-region',
  'add-index',
  'drop-index',
  'alter-region',
  'records',
];

/** A change of a whole region. */
export type RegionChangeKind = Exclude<CommittedChange['kind'], 'put' | 'remove' | 'expire'>;

/** `records`: the history records of a region changed; listeners do not receive it. */
export type ChangeKind = 'write' | 'records' | RegionChangeKind;

/** First character of the value that represents an expiry; no JSON begins with it. */
export const EXPIRED = 'x';

export interface LogRow {
  readonly sequence: number;
  readonly kind: ChangeKind;
  /** Name of the region. */
  readonly region: string;
  readonly keys: readonly string[];
  /** For writes one per key: an empty text is a removal, and `EXPIRED` begins an expiry. */
  readonly values: readonly string[];
  readonly server: number;
  readonly batch: number;
  readonly request: number;
  readonly countDelta: number;
  readonly bytesDelta: number;
  readonly position: number;
}

/** Most rows per page of the log. A commit has one per region. */
export const PAGE_ROWS = 4000;

/** Parses a row of `LOG_COLUMNS`. */
export function toLogRow(raw: RawRow): LogRow {
  const [sequence, , kind, , region, keys, values, server, batch, request, count, bytes, position] =
    raw;
  return {
    sequence: Number(sequence),
    ...parseChanges([kind, region, keys, values]),
    server: Number(server),
    batch: Number(batch),
    request: Number(request),
    countDelta: Number(count),
    bytesDelta: Number(bytes),
    position: Number(position),
  };
}

/** The part of a row that says what was changed. */
type LoggedChanges = Pick<LogRow, 'kind' | 'region' | 'keys' | 'values'>;

/** Parses the columns `kind, name, keys, vals`. */
export function parseChanges([kind, region, keys, values]: readonly (
  | string
  | null
  | undefined
)[]): LoggedChanges {
  return {
    kind: KINDS[Number(kind)] ?? 'write',
    region: region ?? '',
    // `array_to_json` prints an array of texts.
    keys: keys == null ? [] : (JSON.parse(keys) as string[]).map(decodeKey),
    values: values == null ? [] : values.split('\n'),
  };
}

/** The rows of one commit. */
export type CommitRows = readonly [LogRow, ...LogRow[]];

/** Rows in the order of the log, commit by commit. */
export function splitCommits(rows: readonly LogRow[]): readonly CommitRows[] {
  const commits: [LogRow, ...LogRow[]][] = [];
  for (const row of rows) {
    const last = commits.at(-1);
    if (last?.[0].sequence === row.sequence) last.push(row);
    else commits.push([row]);
  }
  return commits;
}

export function toCommit(rows: CommitRows): Commit {
  const [first] = rows;
  const changes = rows.length === 1 ? toChanges(first) : rows.flatMap(toChanges);
  return { sequence: first.sequence, changes };
}

export function toChanges({
  kind,
  keys,
  region,
  values,
}: LoggedChanges): readonly CommittedChange[] {
  switch (kind) {
    case 'write':
      return keys.map((key, i): CommittedChange => {
        const value = values[i] ?? '';
        if (value === '') return { kind: 'remove', region, key };
        if (value.startsWith(EXPIRED)) return { kind: 'expire', region, key };
        return { kind: 'put', region, key, value };
      });
    case 'add-index':
    case 'drop-index':
      return [{ kind, region, index: keys[0] ?? '' }];
    case 'records':
      return [];
    default:
      return [{ kind, region }];
  }
}

/** The rows after a commit, whole commits alone; `isLastPage` if no commit follows. */
export async function readRows(
  client: ClientBase,
  afterSequence: number,
  limit: number,
): Promise<{ readonly rows: readonly LogRow[]; readonly isLastPage: boolean }> {
  const raw = await queryRows(client, {
    name: 'follow',
    text: `SELECT ${LOG_COLUMNS} FROM changes c WHERE c.sequence > $1
           ORDER BY c.sequence, c.ordinal LIMIT $2`,
    values: [afterSequence, limit],
  });
  const rows = raw.map(toLogRow);
  if (rows.length < limit) return { rows, isLastPage: true };
  // The last commit of a full page may have more rows.
  const last = rows.at(-1)?.sequence;
  return { rows: rows.filter(({ sequence }) => sequence !== last), isLastPage: false };
}

/** Writes a row of the log; `ordinal` is SQL for its number among the rows of its commit. */
export async function insertRow(
  client: ClientBase,
  row: LogRow,
  { ordinal, regionId }: { readonly ordinal: string; readonly regionId: number },
): Promise<void> {
  await client.query(
    `INSERT INTO changes(sequence, ordinal, kind, region, name, keys, vals, server, batch, request_in_batch,
                         at, count_delta, bytes_delta, position)
     VALUES ($1, ${ordinal}, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp(), $10, $11, $12)`,
    [
      row.sequence,
      KINDS.indexOf(row.kind),
      regionId,
      row.region,
      row.keys.map(encodeKey),
      row.values,
      row.server,
      row.batch,
      row.request,
      row.countDelta,
      row.bytesDelta,
      row.position,
    ],
  );
}
