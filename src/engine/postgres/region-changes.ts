// Changes of regions and of their indexes. They are rare, so each is a separate transaction,
// decided here while the commit lock is held.

import type { ClientBase } from 'pg';
import { changeIndexes } from '../change-indexes.ts';
import type { RegionDefinition } from '../engine.ts';
import { regionGone } from '../errors.ts';
import { toStoredIndex } from '../index-definition.ts';
import { alterDefinition, toStoredDefinition } from '../region-definition.ts';
import type { IndexRequest, RegionOutcome, RegionRequest } from '../region-requests.ts';
import type { RegionAlteration } from '../region-settings.ts';
import { insertRow, type LogRow, type RegionChangeKind } from './change-log.ts';
import { deleteRegion, insertRegion, replaceData } from './region-rows.ts';
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
    readonly keys?: readonly string[];
    readonly values?: readonly string[];
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
  if (request.kind === 'add-index' || request.kind === 'drop-index') {
    return decideIndexes(request, region, sequence);
  }
  if (region === undefined) return { outcome: 'missing' };
  return request.kind === 'destroy-region'
    ? decideDestroy(region)
    : decideAlter(region, request.alteration, sequence);
}

function decideCreate(
  requested: RegionDefinition,
  state: StoreState,
  sequence: number,
): RegionDecision {
  const stored = toStoredDefinition(requested);
  const { name } = stored;
  if (state.find(name) !== undefined) return { outcome: 'exists' };
  return {
    outcome: 'created',
    change: {
      kind: 'create-region',
      region: name,
      regionId: sequence,
      values: [JSON.stringify(stored)],
      history: (context) => updateHistory(context, stored),
      write: (client) => insertRegion(client, stored, { id: sequence, base: sequence }),
    },
  };
}

function decideAlter(
  region: RegionState,
  alteration: RegionAlteration,
  sequence: number,
): RegionDecision {
  const altered = alterDefinition(region.definition, alteration);
  if (altered === undefined) return { outcome: 'unchanged' };
  const definition = JSON.stringify(altered);
  return {
    outcome: 'altered',
    change: {
      kind: 'alter-region',
      region: altered.name,
      regionId: region.id,
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

function decideDestroy(region: RegionState): RegionDecision {
  const { name } = region.definition;
  return {
    outcome: 'destroyed',
    change: {
      kind: 'destroy-region',
      region: name,
      regionId: region.id,
      history: (context) => endHistory(context, name),
      write: (client) => deleteRegion(client, region),
    },
  };
}

function decideClear(region: RegionState, state: StoreState, sequence: number): RegionDecision {
  if (region.entryCount === 0) return { outcome: { kind: 'committed', version: state.sequence } };
  return {
    outcome: { kind: 'committed', version: sequence },
    change: {
      kind: 'clear',
      region: region.definition.name,
      regionId: region.id,
      history: (context) => writeClearHistory(context, region),
      write: (client) => replaceData(client, region, { dataId: sequence, base: sequence }),
    },
  };
}

function decideIndexes(
  request: IndexRequest,
  region: RegionState | undefined,
  sequence: number,
): RegionDecision {
  const { indexes, name, outcome } = changeIndexes(region?.indexes, request);
  if (region === undefined || indexes === undefined) return { outcome };
  const added = request.kind === 'add-index' ? toStoredIndex(request.index) : undefined;
  return {
    outcome,
    change: {
      kind: request.kind,
      region: request.region,
      regionId: region.id,
      keys: [name],
      values: added === undefined ? [] : [JSON.stringify(added)],
      write: async (client) => {
        await client.query('UPDATE regions SET indexes = $2 WHERE id = $1', [
          region.id,
          JSON.stringify(indexes),
        ]);
        // A server that has not received it would bypass it.
        if (added?.records !== undefined) await noteAlteration(client, sequence);
      },
    },
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
  const { kind, keys = [], history, region, regionId, values = [], write } = change;
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
  await insertRow(client, row, { ordinal: '0', regionId });
  return [row, ...records];
}
