// Opens the columns a query wants, at the moment of its snapshot, and keeps them until it is over.

import type { ColumnStore, Pacer, TablePin, WantedIndex } from '../../columns/index.ts';
import type { Snapshot } from '../../engine/engine.ts';
import type { ColumnSource, SourceTable, TableRequest } from '../../oql/index.ts';
import { NO_INDEXES, type RegionIndex, type RegionIndexes } from './region-indexes.ts';
import { createSourceTable } from './table-source.ts';

/** Values printed whole are read so much at a time; with large ones a batch of rows is no measure. */
const TEXT_BYTES = 256 * 1024;

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
  snapshot: Snapshot,
  pins: ReadonlyMap<string, TablePin>,
  indexes: RegionIndexes = NO_INDEXES,
): ColumnSource {
  return {
    indexesOf: (region) => (indexes.get(region) ?? []).map(({ facts }) => facts),
    async openTables(requests, pacer): Promise<readonly SourceTable[] | undefined> {
      const tables = new Map<string, SourceTable>();
      for (const request of mergeByRegion(requests)) {
        const table = await openTable({ snapshot, pins, pacer, indexes }, request);
        if (table === undefined) return undefined;
        tables.set(request.region, table);
      }
      return requests.map(({ region }) => requireTable(tables, region));
    },
  };
}

function requireTable(tables: ReadonlyMap<string, SourceTable>, region: string): SourceTable {
  const table = tables.get(region);
  if (table === undefined) throw new Error(`the table of ${region} was not opened`);
  return table;
}

/** A region joined with itself is one table with the columns of both sides. */
function mergeByRegion(requests: readonly TableRequest[]): readonly TableRequest[] {
  return [...Map.groupBy(requests, ({ region }) => region)].map(([region, same]) => ({
    region,
    paths: same.flatMap(({ paths }) => paths),
    collections: same.flatMap(({ collections }) => collections),
    indexes: same.flatMap(({ indexes = [] }) => indexes),
    mapElements: same.flatMap(({ mapElements = [] }) => mapElements),
  }));
}

interface Opening {
  readonly snapshot: Snapshot;
  readonly pins: ReadonlyMap<string, TablePin>;
  readonly pacer: Pacer;
  readonly indexes: RegionIndexes;
}

async function openTable(
  { snapshot, pins, pacer, indexes }: Opening,
  request: TableRequest,
): Promise<SourceTable | undefined> {
  const { region, collections } = request;
  const wanted = wantedIndexes(indexes.get(region) ?? [], request);
  const inputs = [...wanted.values()].flatMap(({ derivation }) => derivation?.inputs ?? []);
  const paths = [...request.paths, ...inputs];
  const entryCount = snapshot.count(region);
  const pin = pins.get(region);
  if (entryCount === undefined || pin === undefined) return undefined;
  const { sequence } = snapshot;
  const scan = () => snapshot.scan(region, {});
  const table = await pin.prepare({
    sequence,
    paths,
    collections,
    indexes: [...wanted.values()],
    entryCount,
    scan,
    pacer,
  });
  if (table === undefined) return undefined;
  const readTexts = async (keys: readonly string[]): Promise<readonly string[]> =>
    (await snapshot.read(region, keys, TEXT_BYTES)).map((entry) => entry?.value ?? 'null');
  return createSourceTable({
    table,
    sequence,
    entryCount,
    readTexts,
    indexKeys: new Map([...wanted].map(([name, each]) => [name, each.name])),
  });
}

/** What columns are to hold for the indexes of a request, by the names the query knows them by. */
function wantedIndexes(
  indexes: readonly RegionIndex[],
  { indexes: names = [], mapElements = [] }: TableRequest,
): ReadonlyMap<string, WantedIndex> {
  const found = new Map<string, WantedIndex>();
  for (const { facts, wanted } of indexes) {
    if (wanted !== undefined && names.includes(facts.name)) found.set(facts.name, wanted);
  }
  for (const { index, key, path } of mapElements) {
    const name = JSON.stringify([index, 'map', path]);
    found.set(`${index}-${key}`, { name, kind: 'range', path, isOptional: true });
  }
  return found;
}
