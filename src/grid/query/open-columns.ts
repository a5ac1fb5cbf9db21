// Opens the columns that a query needs, at its read point, and pins them until it ends.

import type { ColumnStore, PrepareRequest, RequestedIndex, TablePin } from '../../columns/index.ts';
import type { ColumnSource, SourceTable, TableRequest } from '../../oql/index.ts';
import type { YieldPoints } from '../../value/column-data.ts';
import type { ReadPoint } from './read-point.ts';
import { NO_INDEXES, type RegionIndex, type RegionIndexes } from './region-indexes.ts';
import { createSourceTable } from './table-source.ts';

/**
 * Pins must be taken before the snapshot is opened, so that nothing the snapshot sees is
 * overwritten in memory.
 */
export function pinRegions(
  store: ColumnStore,
  regions: readonly string[],
): ReadonlyMap<string, TablePin> {
  return new Map(regions.map((region) => [region, store.pin(region)]));
}

export function createColumnSource(
  readPoint: ReadPoint,
  pins: ReadonlyMap<string, TablePin>,
  indexes: RegionIndexes = NO_INDEXES,
): ColumnSource {
  return {
    isReadable: (region) => (readPoint.typeOf(region) ?? 'EMPTY') !== 'EMPTY',
    indexesOf: (region) => (indexes.get(region) ?? []).map(({ facts }) => facts),
    async openTables(requests, pacer): Promise<readonly SourceTable[] | undefined> {
      const tables = new Map<string, SourceTable>();
      for (const request of mergeByRegion(requests)) {
        const table = await openTable({ readPoint, pins, pacer, indexes }, request);
        if (table === undefined) return undefined;
        tables.set(request.region, table);
      }
      return requests.map(({ region }) => tables.get(region) as SourceTable); // all were opened
    },
  };
}

/** A region joined with itself is one table with the columns of both sides. */
function mergeByRegion(requests: readonly TableRequest[]): readonly TableRequest[] {
  return [...Map.groupBy(requests, ({ region }) => region)].map(([region, sameRegion]) => ({
    region,
    paths: sameRegion.flatMap(({ paths }) => paths),
    collections: sameRegion.flatMap(({ collections }) => collections),
    indexes: sameRegion.flatMap(({ indexes = [] }) => indexes),
    mapElements: sameRegion.flatMap(({ mapElements = [] }) => mapElements),
  }));
}

interface Opening {
  readonly readPoint: ReadPoint;
  readonly pins: ReadonlyMap<string, TablePin>;
  readonly pacer: YieldPoints;
  readonly indexes: RegionIndexes;
}

async function openTable(
  { readPoint, pins, pacer, indexes }: Opening,
  request: TableRequest,
): Promise<SourceTable | undefined> {
  const { region, collections } = request;
  const indexColumns = findIndexColumns(indexes.get(region) ?? [], request);
  const inputs = [...indexColumns.values()].flatMap(({ derivation }) => derivation?.inputs ?? []);
  const pin = pins.get(region);
  if (pin === undefined) return undefined;
  const { sequence } = readPoint;
  const parts = {
    sequence,
    paths: [...request.paths, ...inputs],
    collections,
    indexes: [...indexColumns.values()],
    pacer,
  };
  const inMemory = readPoint.snapshot === undefined ? await pin.prepare(parts) : undefined;
  const table =
    inMemory ?? (await pin.prepare({ ...parts, load: await findLoad(readPoint, region) }));
  if (table === undefined) return undefined;
  return createSourceTable({
    table,
    sequence,
    readTexts: (keys) => readPoint.readValues(region, keys),
    indexKeys: new Map([...indexColumns].map(([name, each]) => [name, each.name])),
  });
}

/** The source of columns that are not in memory; undefined when the region is gone. */
async function findLoad(readPoint: ReadPoint, region: string): Promise<PrepareRequest['load']> {
  const snapshot = await readPoint.openSnapshot('columns');
  const entryCount = snapshot.count(region);
  return entryCount === undefined
    ? undefined
    : { entryCount, scan: () => snapshot.scan(region, {}, 'entries') };
}

/** The columns that the indexes of a request need, by the names that the query uses. */
function findIndexColumns(
  indexes: readonly RegionIndex[],
  { indexes: names = [], mapElements = [] }: TableRequest,
): ReadonlyMap<string, RequestedIndex> {
  const columns = new Map<string, RequestedIndex>();
  for (const { facts, requested } of indexes) {
    if (requested !== undefined && names.includes(facts.name)) columns.set(facts.name, requested);
  }
  for (const { index, key, path } of mapElements) {
    const name = JSON.stringify([index, 'map', path]);
    columns.set(`${index}-${key}`, { name, kind: 'range', path, isOptional: true });
  }
  return columns;
}
