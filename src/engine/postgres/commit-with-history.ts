// Commits a write to a region with history, inside a transaction that holds the commit lock.

import type { Client } from 'pg';
import { call } from './call-function.ts';
import type { LogRow } from './change-log.ts';
import type { Follower } from './follower.ts';
import type { RegionState, StoreState } from './store-state.ts';
import {
  type EntryRequest,
  isEntryRequest,
  partsOf,
  WriteBatch,
  type WriteResult,
} from './write-batch.ts';
import { readBefore, readClock, writeHistory } from './write-history.ts';

export interface CommitWithHistory {
  readonly result: WriteResult | undefined;
  /** Rows of the log; none when nothing was changed. */
  readonly rows: readonly LogRow[];
}

/** Whether a request writes to a region with history. */
export function writesHistory(request: { readonly kind: string }, state: StoreState): boolean {
  return (
    isEntryRequest(request) &&
    partsOf(request).some(({ region }) => state.find(region)?.definition.history !== undefined)
  );
}

/** The caller holds the lock and ends the transaction. */
export async function commitWithHistory(
  client: Client,
  request: EntryRequest,
  parts: {
    readonly server: { readonly id: number; readonly incarnation: number };
    readonly batch: number;
    readonly follower: Follower;
  },
): Promise<CommitWithHistory> {
  const { batch, follower, server } = parts;
  const state = follower.state.copy();
  const regions = regionsWithHistory(request, state);
  const before = new Map<string, Awaited<ReturnType<typeof readBefore>>>();
  for (const { changes, region } of partsOf(request)) {
    const found = regions.get(region);
    if (found !== undefined) before.set(region, await readBefore(client, found, changes));
  }
  const writes = new WriteBatch([request]);
  const { name, parameters } = writes.call;
  const values = [server.id, server.incarnation, batch, state.sequence, ...parameters];
  const rows = await call(client, name, values);
  const [result] = writes.readAnswer(rows, { server: server.id, batch }).results;
  const own = result?.kind === 'done' ? result.rows : [];
  const [first] = own;
  if (first === undefined) return { result, rows: [] };
  const stamp = { sequence: first.sequence, nowMs: await readClock(client) };
  const records: LogRow[] = [];
  for (const row of own) {
    const found = regions.get(row.region);
    if (found === undefined) continue;
    const effective = new Set(row.keys);
    const changes = (before.get(row.region) ?? []).filter(({ key }) => effective.has(key));
    const { position, request: number } = row;
    const origin = { server: server.id, batch, request: number, position };
    records.push(...(await writeHistory({ client, state, stamp, origin }, found, changes)));
  }
  return { result, rows: [...own, ...records] };
}

function regionsWithHistory(
  request: EntryRequest,
  state: StoreState,
): ReadonlyMap<string, RegionState> {
  const found = new Map<string, RegionState>();
  for (const { region } of partsOf(request)) {
    const known = state.find(region);
    if (known?.definition.history !== undefined) found.set(region, known);
  }
  return found;
}
