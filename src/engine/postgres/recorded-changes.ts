// Reads the `changes` table for feeds, one statement per page of bounded rows and bytes. The log
// stores values, so a change has its value for as long as it is recorded.

import type { ClientBase } from 'pg';
import { toRecordedChange } from '../committed-change.ts';
import type {
  ChangesOutcome,
  ChangesWanted,
  RecordedChange,
  SequenceAtOutcome,
} from '../engine.ts';
import { textArray } from './array-parameter.ts';
import { parseChanges, toChanges } from './change-log.ts';
import { queryRows, type RawRow } from './query-rows.ts';

/** The parts of a row of the log that feeds need. */
interface FeedRow {
  readonly sequence: number;
  /** Whether it is the last row of its commit. */
  readonly endsCommit: boolean;
  readonly changes: readonly RecordedChange[];
}

// Where values are not wanted, `0` represents a put. An empty text is a removal, and `x` an expiry.
const COLUMNS = `w.sequence, w.kind, w.name, array_to_json(w.keys)::text,
  CASE WHEN $2 AND ($3::text[] IS NULL OR w.name = ANY ($3)) THEN array_to_string(w.vals, E'\n', '')
       ELSE (SELECT string_agg(CASE WHEN v IS NULL THEN '' WHEN left(v, 1) = 'x' THEN 'x' ELSE '0' END, E'\n') FROM unnest(w.vals) v) END,
  $2 AND ($3::text[] IS NULL OR w.name = ANY ($3)),
  floor(extract(epoch FROM w.at) * 1000)::bigint,
  NOT EXISTS (SELECT FROM changes x WHERE x.sequence = w.sequence AND x.ordinal > w.ordinal)`;

// A page ends where its rows reach a bound, and never skips a row. Sizes are those of the stored
// form, possibly compressed, because they are known without reading it.
const READ_PAGE = `
WITH bounds AS MATERIALIZED (SELECT min(sequence) AS low, max(sequence) AS high FROM changes)
SELECT b.low, b.high, ${COLUMNS}
FROM bounds b LEFT JOIN LATERAL (
  SELECT r.*, sum(r.bytes) OVER rows - r.bytes AS bytes_before, sum(r.changes) OVER rows - r.changes AS changes_before
  FROM (SELECT c.*, coalesce(pg_column_size(c.vals), 0) AS bytes, greatest(cardinality(c.keys), 1) AS changes
        FROM changes c WHERE c.sequence > $1 ORDER BY c.sequence, c.ordinal LIMIT $4) r
  WINDOW rows AS (ORDER BY r.sequence, r.ordinal)) w
  ON w.bytes_before < $5 AND w.changes_before < $4
ORDER BY w.sequence, w.ordinal`;

const READ_COMMIT = `
SELECT NULL, NULL, ${COLUMNS} FROM changes w WHERE w.sequence = $1 ORDER BY w.ordinal`;

const FIND_SEQUENCE_AT = `
SELECT (SELECT min(sequence) FROM changes), (SELECT max(sequence) FROM changes),
  (SELECT c.at < to_timestamp($1::float8 / 1000) FROM changes c ORDER BY c.sequence, c.ordinal LIMIT 1),
  (SELECT c.sequence FROM changes c WHERE c.at >= to_timestamp($1::float8 / 1000)
   ORDER BY c.sequence, c.ordinal LIMIT 1)`;

const NO_BYTE_LIMIT = 2 ** 40;

/** As `Engine.readChanges` promises. */
export async function readChanges(
  client: ClientBase,
  { afterSequence, limit }: { readonly afterSequence: number; readonly limit: number },
  wanted: ChangesWanted,
): Promise<ChangesOutcome> {
  const regions = wanted.regions === undefined ? null : textArray([...wanted.regions]);
  const options = [wanted.values === 'kept', regions];
  const raw = await queryRows(client, {
    name: 'read-changes',
    text: READ_PAGE,
    values: [afterSequence, ...options, Math.max(1, limit), wanted.maxBytes ?? NO_BYTE_LIMIT],
  });
  const [low, high] = raw[0] ?? [];
  const latest = Number(high ?? 0);
  const oldest = Number(low ?? latest + 1) - 1;
  if (afterSequence < oldest || afterSequence > latest) return { kind: 'gone', oldest, latest };
  if (limit <= 0) return { kind: 'changes', changes: [], through: afterSequence, latest };
  const rows = raw.filter(([, , sequence]) => sequence !== null).map(toFeedRow);
  let whole = takeCommits(rows, limit);
  const [first] = rows;
  if (whole.length === 0 && first !== undefined) {
    // The first commit alone exceeds the limit, and is returned whole.
    const values = [first.sequence, ...options];
    const commit = await queryRows(client, { name: 'read-commit', text: READ_COMMIT, values });
    whole = commit.map(toFeedRow);
  }
  const { isWanted = () => true } = wanted;
  const changes = whole
    .flatMap((row) => row.changes)
    .filter((change) => wanted.regions?.has(change.region) !== false && isWanted(change));
  return { kind: 'changes', changes, through: whole.at(-1)?.sequence ?? afterSequence, latest };
}

/** As `Engine.findSequenceAt` promises. */
export async function findSequenceAt(client: ClientBase, atMs: number): Promise<SequenceAtOutcome> {
  const [row] = await queryRows(client, { text: FIND_SEQUENCE_AT, values: [atMs] });
  const [low, high, isAfterFirst, found] = row ?? [];
  const latest = Number(high ?? 0);
  const oldest = Number(low ?? latest + 1) - 1;
  if (!isTrue(isAfterFirst) && oldest > 0) return { kind: 'gone', oldest, latest };
  return { kind: 'found', sequence: found == null ? latest : Number(found) - 1 };
}

/** Whole commits of up to `limit` changes; none when the first one holds more. */
function takeCommits(rows: readonly FeedRow[], limit: number): readonly FeedRow[] {
  let count = 0;
  let end = 0;
  for (const [i, row] of rows.entries()) {
    count += row.changes.length;
    if (count > limit) break;
    if (row.endsCommit) end = i + 1;
  }
  return rows.slice(0, end);
}

function toFeedRow(raw: RawRow): FeedRow {
  const [, , sequence, kind, region, keys, values, hasValues, at, endsCommit] = raw;
  const commit = { sequence: Number(sequence), atMs: Number(at) };
  const changes = toChanges(parseChanges([kind, region, keys, values])).map((change) => {
    const recorded = toRecordedChange(change, commit);
    const isValue = change.kind === 'put' && isTrue(hasValues);
    return isValue ? { ...recorded, value: change.value } : recorded;
  });
  return { sequence: commit.sequence, endsCommit: isTrue(endsCommit), changes };
}

/** The driver returns booleans as such, which its types for rows of texts do not show. */
function isTrue(flag: unknown): boolean {
  return flag === true || flag === 't';
}
