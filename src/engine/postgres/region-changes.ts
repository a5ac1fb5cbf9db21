// Changes of regions and of their indexes. They are rare, so each is a separate transaction,
// decided here while the commit lock is held.

import type { ClientBase } from 'pg';
import type { RegionDefinition } from '../engine.ts';
import { regionGone } from '../errors.ts';
import { findTaken, type IndexDefinition, toStoredIndex } from '../index-definition.ts';
import { encodeKey } from '../key-encoding.ts';
import { alterDefinition, toStoredDefinition } from '../region-definition.ts';
import type { RegionOutcome } from '../region-outcome.ts';
import type { IndexRequest, RegionRequest } from '../region-requests.ts';
import type { RegionAlteration } from '../region-settings.ts';
import type { RegionChangeKind } from './change-log.ts';
import { KINDS, type LogRow } from './change-log.ts';
import type { RegionState, StoreState } from './store-state.ts';
import {
  endHistory,
  type HistoryContext,
  readClock,
  updateHistory,
  writeClearHistory,
} from './write-history.ts';

/** The outcome of a request, and the writes if something changes. */
export interface RegionDecision {
  readonly outcome: RegionOutcome;
  readonly change?: {
    readonly kind: RegionChangeKind;
    readonly region: string;
    readonly regionId: number;
    readonly keys: readonly string[];
    readonly values: readonly string[];
    readonly write: (client: ClientBase) => Promise<unknown>;
    /** Changes the region's history; runs before `write`. */
    readonly history?: (context: HistoryContext) => Promise<readonly LogRow[]>;
  };
}

/** `state` must be at the latest commit. */
export function decide(request: RegionRequest, state: StoreState): RegionDecision {
  const sequence = state.sequence + 1;
  if (request.kind === 'create-region') return decideCreate(request.definition, state, sequence);
  const region = state.find(request.region);
  if (request.kind === 'clear') {
    if (region?.id !== request.regionId) throw regionGone(request.region);
    return decideClear(region, state, sequence);
  }
  if (region === undefined) {
    const isIndex = request.kind === 'add-index' || request.kind === 'drop-index';
    return { outcome: { kind: isIndex ? 'region-missing' : 'missing' } };
  }
  switch (request.kind) {
    case 'destroy-region':
      return decideDestroy(region);
    case 'alter-region':
      return decideAlter(region, request.alteration, sequence);
    case 'add-index':
    case 'drop-index':
      return decideIndexes(request, region, sequence);
  }
}

function decideCreate(
  requested: RegionDefinition,
  state: StoreState,
  sequence: number,
): RegionDecision {
  const stored = toStoredDefinition(requested);
  const { name, type } = stored;
  if (state.find(name) !== undefined) return { outcome: { kind: 'exists' } };
  const definition = JSON.stringify(stored);
  const values = [sequence, name, definition, type === 'EMPTY'];
  return {
    outcome: { kind: 'created' },
    change: {
      kind: 'create-region',
      region: name,
      regionId: sequence,
      keys: [],
      values: [definition],
      history: (context) => updateHistory(context, stored),
      write: (client) =>
        client.query(
          `INSERT INTO regions(id, data_id, name, definition, is_empty, indexes, entry_count, value_bytes, base)
           VALUES ($1, $1, $2, $3, $4, '[]', 0, 0, $1)`,
          values,
        ),
    },
  };
}

function decideAlter(
  region: RegionState,
  alteration: RegionAlteration,
  sequence: number,
): RegionDecision {
  const altered = alterDefinition(region.definition, alteration);
  if (altered === undefined) return { outcome: { kind: 'unaltered' } };
  const definition = JSON.stringify(altered);
  return {
    outcome: { kind: 'altered' },
    change: {
      kind: 'alter-region',
      region: altered.name,
      regionId: region.id,
      keys: [],
      values: [definition],
      history: (context) => updateHistory(context, altered),
      write: async (client) => {
        await client.query('UPDATE regions SET definition = $2 WHERE id = $1', [
          region.id,
          definition,
        ]);
        await noteAlteration(client, sequence);
      },
    },
  };
}

function decideDestroy({ dataId, definition: { name }, id }: RegionState): RegionDecision {
  return {
    outcome: { kind: 'destroyed' },
    change: {
      kind: 'destroy-region',
      region: name,
      regionId: id,
      keys: [],
      values: [],
      history: (context) => endHistory(context, name),
      write: async (client) => {
        await client.query('DELETE FROM regions WHERE id = $1', [id]);
        await client.query('INSERT INTO garbage VALUES ($1)', [dataId]);
      },
    },
  };
}

function decideClear(region: RegionState, state: StoreState, sequence: number): RegionDecision {
  const { dataId, definition, entryCount, id } = region;
  const { name } = definition;
  if (entryCount === 0) return { outcome: { kind: 'committed', version: state.sequence } };
  return {
    outcome: { kind: 'committed', version: sequence },
    change: {
      kind: 'clear',
      region: name,
      regionId: id,
      keys: [],
      values: [],
      history: (context) => writeClearHistory(context, region),
      write: async (client) => {
        await client.query(
          'UPDATE regions SET data_id = $2, entry_count = 0, value_bytes = 0, base = $2 WHERE id = $1',
          [id, sequence],
        );
        await client.query('INSERT INTO garbage VALUES ($1)', [dataId]);
      },
    },
  };
}

function decideIndexes(
  request: IndexRequest,
  { definition: { name }, id, indexes }: RegionState,
  sequence: number,
): RegionDecision {
  const change = (
    left: readonly IndexDefinition[],
    index: string,
    values: readonly string[],
    added?: IndexDefinition,
  ) => ({
    kind: request.kind,
    region: name,
    regionId: id,
    keys: [index],
    values,
    write: async (client: ClientBase) => {
      await client.query('UPDATE regions SET indexes = $2 WHERE id = $1', [
        id,
        JSON.stringify(left),
      ]);
      // A server that has not received it would bypass it.
      if (added?.records !== undefined) await noteAlteration(client, sequence);
    },
  });
  if (request.kind === 'drop-index') {
    const left = indexes.filter((index) => index.name !== request.index);
    if (left.length === indexes.length) return { outcome: { kind: 'index-missing' } };
    return { outcome: { kind: 'dropped' }, change: change(left, request.index, []) };
  }
  const by = findTaken(indexes, request.index);
  if (by !== undefined) return { outcome: { kind: 'taken', by } };
  const added = toStoredIndex(request.index);
  return {
    outcome: { kind: 'added' },
    change: change([...indexes, added], added.name, [JSON.stringify(added)], added),
  };
}

/** Servers that have not received this commit are refused until they have. */
async function noteAlteration(client: ClientBase, sequence: number): Promise<void> {
  await client.query('UPDATE lock SET altered = $1 WHERE id = 1', [sequence]);
}

/** Writes the change and its rows of the log; `origin` says whose commit it is. */
export async function writeChange(
  client: ClientBase,
  state: StoreState,
  change: NonNullable<RegionDecision['change']>,
  origin: { readonly server: number; readonly batch: number },
): Promise<readonly LogRow[]> {
  const { kind, keys, history, region, regionId, values, write } = change;
  const row: LogRow = {
    sequence: state.sequence + 1,
    kind,
    region,
    keys,
    values,
    ...origin,
    request: 1,
    countDelta: 0,
    bytesDelta: 0,
    position: state.position + 1,
  };
  const stamp = {
    sequence: row.sequence,
    nowMs: history === undefined ? 0 : await readClock(client),
  };
  const context = {
    client,
    state,
    stamp,
    origin: { ...origin, request: 1, position: row.position },
  };
  const records = (await history?.(context)) ?? [];
  await write(client);
  await client.query(
    `INSERT INTO changes(sequence, ordinal, kind, region, name, keys, vals, server, batch, request_in_batch,
                         at, count_delta, bytes_delta, position)
     VALUES ($1, 0, $2, $3, $4, $5, $6, $7, $8, 1, clock_timestamp(), 0, 0, $9)`,
    [
      row.sequence,
      KINDS.indexOf(kind),
      regionId,
      region,
      keys.map(encodeKey),
      values,
      origin.server,
      origin.batch,
      row.position,
    ],
  );
  return [row, ...records];
}
