// Writes the history of regions in a PostgreSQL store, as records in a second region per region.
// `history-records.ts` describes them. A commit that writes history runs alone, in a transaction of
// several statements: this file decides what to record and trim while the commit lock is held.

import type { ClientBase } from 'pg';
import type { Change } from '../engine.ts';
import { historyDefinition, historyRegion, META_KEY } from '../history-records.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';
import {
  beginHistory,
  type CommitStamp,
  type HistoryChange,
  type RecordChange,
  type RecordedHistory,
  type RecordReader,
  recordHistory,
  trimHistory,
} from '../record-history.ts';
import { textArray } from './array-parameter.ts';
import { insertRow, type LogRow } from './change-log.ts';
import { insertEntries, queryRows, readEntries } from './query-rows.ts';
import { deleteRegion, insertRegion, replaceData } from './region-rows.ts';
import type { RecordsChange, RegionState, StoreState } from './store-state.ts';

/** Parts that one commit considers for trimming. */
const PARTS_READ = 64;
/** Rows of records come after all other rows of a commit. */
const FIRST_ORDINAL = 1_000_000;
/** \u0001 as SQL writes it. */
const ESCAPE = String.raw`E'\x01'`;

/** A running commit whose rows are being written. */
export interface HistoryContext {
  readonly client: ClientBase;
  /** As of the commit before. */
  readonly state: StoreState;
  readonly stamp: CommitStamp;
  /** Members of a row of the log that all rows of the commit share. */
  readonly origin: Pick<LogRow, 'server' | 'batch' | 'request' | 'position'>;
}

/** The clock of the store, which all servers share. */
export async function readClock(client: ClientBase): Promise<number> {
  const text = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  const [row] = await queryRows(client, { text });
  return Number(row?.[0]);
}

/** Entries as they are before changes that are about to be made. */
export async function readBefore(
  client: ClientBase,
  { id }: RegionState,
  changes: readonly Change[],
): Promise<readonly HistoryChange[]> {
  const keys = changes.map(({ key }) => key);
  const found = await readEntries(client, id, keys);
  return changes.map(({ key, kind }, i) => ({ operation: kind, key, before: found[i] }));
}

/** Records the previous entries of changes; `region` is its state before them. */
export async function writeHistory(
  context: HistoryContext,
  region: RegionState,
  changes: readonly HistoryChange[],
): Promise<readonly LogRow[]> {
  const { history, name } = region.definition;
  const records = context.state.find(historyRegion(name));
  if (history === undefined || records === undefined || changes.length === 0) return [];
  const reader = await openReader(context.client, records);
  const recorded = { entries: region.entryCount, count: changes.length, changes };
  return write(context, records, recordHistory(reader, { ...context.stamp, ...recorded }, history));
}

/** Records all entries of a region that is about to be cleared. */
export async function writeClearHistory(
  context: HistoryContext,
  region: RegionState,
): Promise<readonly LogRow[]> {
  const { client, stamp, state } = context;
  const { history, name } = region.definition;
  const records = state.find(historyRegion(name));
  if (history === undefined || records === undefined) return [];
  const reader = await openReader(client, records);
  const isKept = history.count === null || region.entryCount <= history.count;
  const keys = isKept ? await readKeys(client, region.dataId) : [];
  // The store copies the values itself, so they are not read here.
  const changes = keys.map((key): HistoryChange => {
    return { operation: 'clear', key, before: { value: '', version: 1 } };
  });
  const cleared = { entries: region.entryCount, count: region.entryCount, changes };
  const recorded = recordHistory(reader, { ...stamp, ...cleared }, history);
  const others = [...recorded.changes].filter(({ key, kind }) => {
    return kind === 'remove' || !key.startsWith('k');
  });
  const copied = isKept ? await copyEntries(context, region, records) : undefined;
  return write(context, records, { isReset: recorded.isReset, changes: others }, copied);
}

/** Begins, ends or trims the history of a region that was created or altered. */
export async function updateHistory(
  context: HistoryContext,
  { history, name }: RegionState['definition'],
): Promise<readonly LogRow[]> {
  const { client, stamp, state } = context;
  const records = state.find(historyRegion(name));
  if (history === undefined) return records === undefined ? [] : endHistory(context, name);
  if (records !== undefined) {
    const reader = await openReader(client, records);
    return write(context, records, trimHistory(reader, stamp, history));
  }
  const definition = historyDefinition(name);
  // Other regions have the sequence of a commit as id, so negative ids are free.
  const id = -stamp.sequence;
  await insertRegion(client, definition, { id, base: stamp.sequence - 1 });
  const begun = { id, dataId: id, definition, indexes: [], entryCount: 0, valueBytes: 0 };
  const counts = await writeRecords(client, begun, beginHistory(stamp).changes);
  return [await log(context, begun, { kind: 'begin', id, definition }, counts)];
}

export async function endHistory(
  context: HistoryContext,
  region: string,
): Promise<readonly LogRow[]> {
  const { client, state } = context;
  const records = state.find(historyRegion(region));
  if (records === undefined) return [];
  await deleteRegion(client, records);
  return [await log(context, records, { kind: 'end' }, NOTHING)];
}

interface CountDeltas {
  readonly countDelta: number;
  readonly bytesDelta: number;
}

const NOTHING: CountDeltas = { countDelta: 0, bytesDelta: 0 };

async function write(
  context: HistoryContext,
  records: RegionState,
  { changes, isReset }: RecordedHistory,
  copied: CountDeltas = NOTHING,
): Promise<readonly LogRow[]> {
  const { client, stamp } = context;
  if (!isReset) {
    const counts = await writeRecords(client, records, changes);
    const countDelta = counts.countDelta + copied.countDelta;
    const bytesDelta = counts.bytesDelta + copied.bytesDelta;
    return [await log(context, records, { kind: 'write' }, { countDelta, bytesDelta })];
  }
  const dataId = -stamp.sequence;
  await replaceData(client, records, { dataId, base: stamp.sequence - 1 });
  const counts = await writeRecords(client, { ...records, dataId }, changes);
  return [await log(context, records, { kind: 'reset', dataId }, counts)];
}

async function writeRecords(
  client: ClientBase,
  { dataId }: RegionState,
  changes: Iterable<RecordChange>,
): Promise<CountDeltas> {
  const puts: Extract<RecordChange, { kind: 'put' }>[] = [];
  const removed: string[] = [];
  for (const change of changes) {
    if (change.kind === 'put') puts.push(change);
    else removed.push(encodeKey(change.key));
  }
  // Each commit rewrites the record of the extent; all other records are new.
  const [gone] = await queryRows(client, {
    text: `WITH gone AS (DELETE FROM entries WHERE region = $1 AND key = ANY ($2::text[] COLLATE "C")
             RETURNING octet_length(value) AS bytes)
           SELECT count(*), coalesce(sum(bytes), 0) FROM gone`,
    values: [dataId, textArray([...removed, encodeKey(META_KEY)])],
  });
  await insertEntries(client, dataId, puts);
  const [count, bytes] = gone ?? [];
  const added = puts.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  return { countDelta: puts.length - Number(count), bytesDelta: added - Number(bytes) };
}

/** Records the entries of a region before it is cleared, with one statement. */
async function copyEntries(
  { client, stamp }: HistoryContext,
  region: RegionState,
  records: RegionState,
): Promise<CountDeltas> {
  await client.query(
    `INSERT INTO entries(region, key, version, value)
     SELECT $1, 'k' || replace(key, ${ESCAPE}, ${ESCAPE} || E'\\x02') || ${ESCAPE} || ${ESCAPE}
                || lpad($3::text, 16, '0') || 'c+', version, value
     FROM entries WHERE region = $2`,
    [records.dataId, region.dataId, stamp.sequence],
  );
  return { countDelta: region.entryCount, bytesDelta: region.valueBytes };
}

async function log(
  { client, stamp, origin }: HistoryContext,
  { definition: { name }, id }: RegionState,
  change: RecordsChange,
  counts: CountDeltas,
): Promise<LogRow> {
  const row: LogRow = {
    sequence: stamp.sequence,
    kind: 'records',
    region: name,
    keys: [],
    values: [JSON.stringify(change)],
    ...origin,
    ...counts,
  };
  const ordinal = `(SELECT count(*) + ${FIRST_ORDINAL} FROM changes WHERE sequence = $1)`;
  await insertRow(client, row, { ordinal, regionId: id });
  return row;
}

/** Reads the extent and the oldest parts, as many as one commit can trim. */
async function openReader(client: ClientBase, { dataId, id }: RegionState): Promise<RecordReader> {
  const [meta] = await readEntries(client, id, [META_KEY]);
  const rows = await queryRows(client, {
    text: `SELECT key, value FROM entries WHERE region = $1 AND key > 's' ORDER BY key LIMIT ${PARTS_READ}`,
    values: [dataId],
  });
  const parts = rows.map(([key, value]): readonly [string, string] => [key ?? '', value ?? '']);
  return {
    find: (key) => (key === META_KEY ? meta : undefined),
    next: (after) => parts.find(([key]) => key > after),
  };
}

async function readKeys(client: ClientBase, dataId: number): Promise<readonly string[]> {
  const text = 'SELECT key FROM entries WHERE region = $1 ORDER BY key';
  const rows = await queryRows(client, { text, values: [dataId] });
  return rows.map(([key]) => decodeKey(key ?? ''));
}
