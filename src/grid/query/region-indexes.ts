// Translates index definitions into the terms of columns: the path and the values that an index
// has.

import type { RequestedIndex } from '../../columns/index.ts';
import type { RegionDescription } from '../../engine/engine.ts';
import type { IndexDefinition } from '../../engine/index-definition.ts';
import {
  bindIndex,
  type Catalog,
  describeIndexed,
  type IndexFacts,
  type MapKeys,
  OqlError,
} from '../../oql/index.ts';
import { badIndex } from '../errors.ts';

export interface RegionIndex {
  readonly facts: IndexFacts;
  /** Undefined for an index that columns cannot fill. */
  readonly requested: RequestedIndex | undefined;
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
  const common = { name, kind, ...(definition.unique === true ? { unique: true as const } : {}) };
  const bound = findIndexed(definition, region, catalog);
  if (bound === undefined) return { facts: { ...common, path: undefined }, requested: undefined };
  const key = JSON.stringify([name, kind, expression, from]);
  const { indexed, mapKeys } = bound;
  if (indexed.kind === 'computed') {
    const { terms, source } = indexed;
    const [path = []] = source.inputs;
    return {
      facts: { ...common, path: undefined, terms },
      requested: { name: key, kind, path, derivation: source },
    };
  }
  const { path } = indexed;
  if (mapKeys !== undefined) {
    const map = { path, keys: mapKeys };
    return { facts: { ...common, path: undefined, map }, requested: undefined };
  }
  // Only the region's own entries have keys; items are found by their values.
  const builtKind = kind === 'key' && path.length > 1 ? 'hash' : kind;
  return { facts: { ...common, path }, requested: { name: key, kind: builtKind, path } };
}

/** Refuses an invalid index definition, or one that no query could use. */
export function requireUsable(definition: IndexDefinition, region: string, catalog: Catalog): void {
  try {
    const { indexed } = bindIndexed(definition, region, catalog);
    if (indexed.kind === 'useless') {
      throw badIndex(`No query could use this index: ${indexed.reason}. ${USABLE_INDEXES}`);
    }
  } catch (error) {
    throw error instanceof OqlError ? badIndex(error.message) : error;
  }
}

const USABLE_INDEXES =
  'An index is on members of the values of a region, such as o.customer.id over /orders o, on what ' +
  'is computed from them, such as LOWER(o.name), on several of these, or on members of lists';

function bindIndexed(
  definition: IndexDefinition,
  region: string,
  catalog: Catalog,
): {
  readonly indexed: ReturnType<typeof describeIndexed>;
  readonly mapKeys: MapKeys | undefined;
} {
  const bound = bindIndex(definition, region, catalog);
  const indexed = describeIndexed(bound);
  const { mapKeys } = bound;
  if (indexed.kind === 'computed' && mapKeys !== undefined) {
    return { indexed: { kind: 'useless', reason: 'it is on members of a stored map' }, mapKeys };
  }
  return { indexed, mapKeys };
}

type Indexed = Exclude<ReturnType<typeof describeIndexed>, { kind: 'useless' }>;

/** Undefined for an index that no query can use. */
function findIndexed(
  definition: IndexDefinition,
  region: string,
  catalog: Catalog,
): { readonly indexed: Indexed; readonly mapKeys: MapKeys | undefined } | undefined {
  try {
    const { mapKeys, indexed } = bindIndexed(definition, region, catalog);
    return indexed.kind === 'useless' ? undefined : { indexed, mapKeys };
  } catch (error) {
    // It was valid when it was created; regions that it names may have been destroyed since.
    if (error instanceof OqlError) return undefined;
    throw error;
  }
}
