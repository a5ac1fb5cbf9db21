// Computes the records that a commit adds to the history of a region, and those that it trims. The engine
// reads and writes them inside its transaction.

import type { StoredEntry } from './engine.ts';
import {
  CHANGES_PER_PART,
  type CommitPart,
  type HistoryMeta,
  type HistoryOperation,
  META_KEY,
  parseMeta,
  parsePart,
  parsePartKey,
  partKey,
  printChange,
  stateKey,
} from './history-records.ts';
import type { HistoryBounds } from './region-settings.ts';

/** Changes that one commit trims beyond those it adds, so that no commit trims a long history at once. */
const TRIMMED_AT_ONCE = 1000;

/** The records as the transaction sees them. */
export interface RecordReader {
  find(key: string): StoredEntry | undefined;
  /** The first record after `after`. */
  next(after: string): readonly [key: string, value: string] | undefined;
}

export interface HistoryChange {
  readonly operation: HistoryOperation;
  readonly key: string;
  /** The previous entry; undefined when there was none. */
  readonly before: StoredEntry | undefined;
}

/** The number and the time of a commit that is being written. */
export interface CommitStamp {
  readonly sequence: number;
  readonly nowMs: number;
}

export interface HistoryCommit extends CommitStamp {
  /** Entries of the region before the commit. */
  readonly entries: number;
  /** The number of changes, and their previous entries. */
  readonly count: number;
  readonly changes: Iterable<HistoryChange>;
}

export type RecordChange =
  | { readonly kind: 'put'; readonly key: string; readonly value: string; readonly version: number }
  | { readonly kind: 'remove'; readonly key: string };

export interface RecordedHistory {
  /** Whether all existing records are removed first. */
  readonly isReset: boolean;
  /** Generated lazily, because a commit may record a whole region. */
  readonly changes: Iterable<RecordChange>;
}

/** Begins the history of a region with this commit. */
export function beginHistory(stamp: CommitStamp): RecordedHistory {
  return forget(stamp, 0);
}

export function recordHistory(
  records: RecordReader,
  commit: HistoryCommit,
  bounds: HistoryBounds,
): RecordedHistory {
  const meta = readMeta(records, commit);
  if (bounds.count !== null && commit.count > bounds.count) return forget(commit, meta.time);
  return { isReset: false, changes: recordChanges(records, commit, { bounds, meta }) };
}

/** Trims records beyond altered bounds. */
export function trimHistory(
  records: RecordReader,
  stamp: CommitStamp,
  bounds: HistoryBounds,
): RecordedHistory {
  const commit = { ...stamp, entries: 0, count: 0, changes: [] };
  return recordHistory(records, commit, bounds);
}

function* recordChanges(
  records: RecordReader,
  commit: HistoryCommit,
  { bounds, meta }: { readonly bounds: HistoryBounds; readonly meta: HistoryMeta },
): Generator<RecordChange> {
  const { entries, sequence } = commit;
  const time = Math.max(commit.nowMs, meta.time);
  let listed: string[] = [];
  let parts = 0;
  const finishPart = (): RecordChange => {
    const value = JSON.stringify({ time, entries, changes: listed });
    const key = partKey(sequence, parts);
    parts += 1;
    listed = [];
    return { kind: 'put', key, value, version: sequence };
  };
  for (const { before, key, operation } of commit.changes) {
    const change = printChange(operation, key, before === undefined ? 'absent' : 'present');
    // An empty array means no entry; the key of the record distinguishes it from an entry's value.
    const { value, version } = before ?? { value: '[]', version: sequence };
    yield { kind: 'put', key: stateKey(sequence, change), value, version };
    if (listed.push(change) === CHANGES_PER_PART) yield finishPart();
  }
  if (listed.length > 0) yield finishPart();
  yield* trim(records, commit, { bounds, meta: { ...meta, time, kept: meta.kept + commit.count } });
}

function* trim(
  records: RecordReader,
  { count: added, nowMs, sequence }: HistoryCommit,
  { bounds, meta }: { readonly bounds: HistoryBounds; readonly meta: HistoryMeta },
): Generator<RecordChange> {
  let { kept, oldest, since } = meta;
  let after = 's';
  for (let left = added + TRIMMED_AT_ONCE; left > 0; ) {
    const next = records.next(after);
    const part = next && readPart(next);
    if (next === undefined || part === undefined || part.sequence >= sequence) break;
    const isTooMany = bounds.count !== null && kept > bounds.count;
    const isTooOld = bounds.ageMs !== null && part.time <= nowMs - bounds.ageMs;
    // A commit with missing parts is not usable, so its remaining parts are trimmed too.
    if (!isTooMany && !isTooOld && part.sequence !== oldest) break;
    for (const change of part.changes) {
      yield { kind: 'remove', key: stateKey(part.sequence, change) };
    }
    yield { kind: 'remove', key: next[0] };
    oldest = part.sequence;
    since = part.time;
    kept -= part.changes.length;
    left -= part.changes.length;
    after = next[0];
  }
  yield printMeta({ oldest, since, kept, time: meta.time }, sequence);
}

function readPart([key, value]: readonly [string, string]):
  | (CommitPart & { readonly sequence: number })
  | undefined {
  const sequence = parsePartKey(key);
  return sequence === undefined ? undefined : { ...parsePart(value), sequence };
}

function readMeta(records: RecordReader, { nowMs, sequence }: CommitStamp): HistoryMeta {
  const value = records.find(META_KEY)?.value;
  // Without this record no state before this commit is known.
  return value === undefined
    ? { oldest: sequence, since: nowMs, kept: 0, time: nowMs }
    : parseMeta(value);
}

function forget({ nowMs, sequence }: CommitStamp, lastTime: number): RecordedHistory {
  const time = Math.max(nowMs, lastTime);
  return {
    isReset: true,
    changes: [printMeta({ oldest: sequence, since: time, kept: 0, time }, sequence)],
  };
}

function printMeta({ kept, oldest, since, time }: HistoryMeta, version: number): RecordChange {
  const value = JSON.stringify({ oldest, since, kept, time });
  return { kind: 'put', key: META_KEY, value, version };
}
