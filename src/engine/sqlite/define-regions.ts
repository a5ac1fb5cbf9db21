// Runs requests that concern whole regions, inside the transaction of a batch.

import { changeIndexes } from '../change-indexes.ts';
import type { RegionDefinition } from '../engine.ts';
import { historyDefinition, historyRegion } from '../history-records.ts';
import { beginHistory, trimHistory } from '../record-history.ts';
import { alterDefinition } from '../region-definition.ts';
import type { IndexRequest, RegionRequest } from '../region-requests.ts';
import { change, type LoggedChange } from './change-rows.ts';
import type { RegionWriter } from './region-writer.ts';
import type { RegionRow } from './schema.ts';
import { done } from './store-reply.ts';
import type { StoreReply } from './store-request.ts';
import { type HistoryContext, writeClearHistory } from './write-history.ts';

/** The batch that a request is part of. */
export interface DefineContext extends HistoryContext {
  /** The latest commit. */
  readonly sequence: () => number;
  /** Throws `engine/region-gone`. */
  readonly require: (name: string, id: number) => RegionWriter;
  /** Writes the next commit into the change log and returns its sequence. */
  readonly record: (changes: readonly LoggedChange[]) => number;
  readonly create: (definition: RegionDefinition) => RegionWriter;
  readonly destroy: (region: RegionWriter) => void;
  /** Sets the definition and indexes of a region. */
  readonly define: (region: RegionWriter, row: RegionRow) => void;
  /** Sets the counters of a region. */
  readonly count: (region: RegionWriter, row: RegionRow) => void;
}

export function runRegionRequest(request: RegionRequest, context: DefineContext): StoreReply {
  switch (request.kind) {
    case 'clear':
      return clear(context.require(request.region, request.regionId), context);
    case 'create-region': {
      const { name } = request.definition;
      if (context.find(name) !== undefined) return done('exists');
      updateHistory(context.create(request.definition), context);
      return done('created', context.record([change('create-region', name)]));
    }
    case 'destroy-region': {
      const region = context.find(request.region);
      if (region === undefined) return done('missing');
      const records = context.find(historyRegion(request.region));
      if (records !== undefined) context.destroy(records);
      context.destroy(region);
      return done('destroyed', context.record([change('destroy-region', request.region)]));
    }
    case 'alter-region': {
      const region = context.find(request.region);
      if (region === undefined) return done('missing');
      const definition = alterDefinition(region.row.definition, request.alteration);
      if (definition === undefined) return done('unchanged');
      context.define(region, { ...region.row, definition });
      updateHistory(region, context);
      return done('altered', context.record([change('alter-region', request.region)]));
    }
    case 'add-index':
    case 'drop-index':
      return defineIndex(request, context);
  }
}

function clear(region: RegionWriter, context: DefineContext): StoreReply {
  const { definition, entryCount } = region.row;
  if (entryCount === 0) return done({ kind: 'committed', version: context.sequence() });
  const records = writeClearHistory(context, region);
  const row = region.clear();
  const sequence = context.record([change('clear', definition.name)]);
  context.count(region, row);
  if (records !== undefined) context.count(records.region, records.row);
  return done({ kind: 'committed', version: sequence }, sequence);
}

/** Begins, ends or trims the history of a region that was created or altered. */
function updateHistory(region: RegionWriter, context: DefineContext): void {
  const { history, name } = region.row.definition;
  const records = context.find(historyRegion(name));
  if (history === undefined) {
    if (records !== undefined) context.destroy(records);
    return;
  }
  if (records !== undefined) {
    const trimmed = trimHistory(records, context.stamp(), history);
    context.count(records, records.applyRecords(trimmed));
    return;
  }
  const created = context.create(historyDefinition(name));
  context.count(created, created.applyRecords(beginHistory(context.stamp())));
}

function defineIndex(request: IndexRequest, context: DefineContext): StoreReply {
  const region = context.find(request.region);
  const { outcome, indexes, name } = changeIndexes(region?.row.indexes, request);
  if (region === undefined || indexes === undefined) return done(outcome);
  const sequence = context.record([change(request.kind, request.region, name)]);
  context.define(region, { ...region.row, indexes });
  return done(outcome, sequence);
}
