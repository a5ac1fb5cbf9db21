// Regions as sources of rows.

import type { BoundExpression, BoundRegion, BoundRegionView } from './bound-query.ts';

/** A region, and which part of its entries the rows are. Values exclude entries that are null. */
export type RegionSource = BoundRegion | BoundRegionView;

/** The region that an expression reads; undefined for any other collection. */
export function regionSourceOf(node: BoundExpression | undefined): RegionSource | undefined {
  return node?.kind === 'region' || node?.kind === 'region-view' ? node : undefined;
}
