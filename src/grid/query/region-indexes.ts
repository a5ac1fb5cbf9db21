// Index definitions in the terms of columns: which values of which path an index holds.

import type { WantedIndex } from '../../columns/index.ts';
import type { RegionDescription } from '../../engine/engine.ts';
import type { IndexDefinition } from '../../engine/index-definition.ts';
import {
  bindIndex,
  type Catalog,
  type IndexFacts,
  indexedPath,
  OqlError,
} from '../../oql/index.ts';

export interface RegionIndex {
  readonly facts: IndexFacts;
  /** Undefined for an index that columns cannot fill. */
  readonly wanted: WantedIndex | undefined;
}

/** By the name of the region. */
export type RegionIndexes = ReadonlyMap<string, readonly RegionIndex[]>;

export const NO_INDEXES: RegionIndexes = new Map();

export function describeIndexes(
  regions: readonly RegionDescription[],
  catalog: Catalog,
): RegionIndexes {
  return new Map(
    regions.map(({ name, indexes }) => [
      name,
      indexes.map((definition) => describeIndex(definition, name, catalog)),
    ]),
  );
}

function describeIndex(definition: IndexDefinition, region: string, catalog: Catalog): RegionIndex {
  const { name, kind, expression, from } = definition;
  const { path, mapKeys } = findPath(definition, region, catalog);
  if (path === undefined) return { facts: { name, kind, path }, wanted: undefined };
  if (mapKeys !== undefined) {
    const map = { path, keys: mapKeys };
    return { facts: { name, kind, path: undefined, map }, wanted: undefined };
  }
  // Only the region's own entries have keys; items are found by their values.
  const wantedKind = kind === 'key' && path.length > 1 ? 'hash' : kind;
  const key = JSON.stringify([name, kind, expression, from]);
  return { facts: { name, kind, path }, wanted: { name: key, kind: wantedKind, path } };
}

interface IndexedPath {
  readonly path: IndexFacts['path'];
  readonly mapKeys?: readonly string[] | '*' | undefined;
}

function findPath(definition: IndexDefinition, region: string, catalog: Catalog): IndexedPath {
  try {
    const { select, mapKeys } = bindIndex(definition, region, catalog);
    return { path: indexedPath(select), mapKeys };
  } catch (error) {
    // It was checked when it was made; what it speaks of may be gone since.
    if (error instanceof OqlError) return { path: undefined };
    throw error;
  }
}
