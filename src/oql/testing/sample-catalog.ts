// Small catalogs to bind queries against.

import type { Catalog, CatalogRegion } from '../bind/catalog.ts';

const REGIONS: ReadonlyMap<string, CatalogRegion> = new Map([
  ['orders', { type: 'PARTITION', valueMembers: undefined }],
  ['customers', { type: 'REPLICATE', valueMembers: undefined }],
  ['people', { type: 'REPLICATE', valueMembers: ['name', 'age', 'address'] }],
  ['staff', { type: 'REPLICATE', valueMembers: ['name', 'salary'] }],
  ['root/sub', { type: 'REPLICATE', valueMembers: undefined }],
  ['log.daily', { type: 'REPLICATE', valueMembers: undefined }],
  ['audit', { type: 'EMPTY', valueMembers: undefined }],
]);

/** Untyped regions orders, customers, root/sub and log.daily; typed ones people and staff; audit is EMPTY. */
export const sampleCatalog: Catalog = {
  findRegion: (name) => REGIONS.get(name),
  regionNames: () => REGIONS.keys(),
  findTypeMembers: (name) => (name === 'org.example.Item' ? ['sku', 'quantity'] : undefined),
};

/** Every region exists and nothing is known about it. */
export const openCatalog: Catalog = {
  findRegion: () => ({ type: 'REPLICATE', valueMembers: undefined }),
  regionNames: () => [],
  findTypeMembers: () => undefined,
};
