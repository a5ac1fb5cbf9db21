// Regions as sources of rows.

import type { BoundExpression, BoundRegionView } from './bound-query.ts';

/** A region, and what of its entries are the rows. Values leave out entries that are null. */
export type RegionSource = Pick<BoundRegionView, 'name' | 'view' | 'span'>;

/** The region that an expression goes through; undefined for any other collection. */
export function regionSourceOf(node: BoundExpression | undefined): RegionSource | undefined {
  if (node?.kind === 'region') return { name: node.name, view: 'values', span: node.span };
  return node?.kind === 'region-view' ? node : undefined;
}
