// The regions that a query may read. Every region of the bound query is checked, those of joins and
// subqueries too; a bind value can never name a region.

import type { BoundQuery, Catalog, CatalogRegion } from '../../oql/index.ts';
import { regionForbidden } from '../errors.ts';

/** Undefined if everything may be read. */
export type MayRead = ((region: string) => boolean) | undefined;

export function requireReadable(query: BoundQuery, mayRead: MayRead): void {
  const forbidden = mayRead && query.regions.find((region) => !mayRead(region));
  if (forbidden !== undefined) throw regionForbidden(forbidden);
}

export function mayReadAll(query: BoundQuery, mayRead: MayRead): boolean {
  return mayRead === undefined || query.regions.every(mayRead);
}

/**
 * The catalog for a login that may not read everything. A region that it may not read is refused
 * whether it exists or not, so that no message or hint reveals it.
 */
export function restrictCatalog(catalog: Catalog, mayRead: NonNullable<MayRead>): Catalog {
  return {
    findRegion: (name) => {
      if (!mayRead(name)) throw regionForbidden(name);
      return catalog.findRegion(name);
    },
    regionNames: () => [...catalog.regionNames()].filter(mayRead),
    // Members are known by type, not by region, so they could come from a hidden region.
    findTypeMembers: () => undefined,
  };
}

/** A catalog with one region. */
export function catalogOf(name: string, region: CatalogRegion): Catalog {
  return {
    findRegion: (requested) => (requested === name ? region : undefined),
    regionNames: () => [name],
    findTypeMembers: () => undefined,
  };
}
