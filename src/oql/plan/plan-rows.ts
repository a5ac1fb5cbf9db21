// The plan of a query that runs row by row: which entries it reads, and whether it sorts them.

import type { Value } from '../../value/value.ts';
import type { BoundQuery } from '../bind/bound-query.ts';
import { dropKeyOrder } from './drop-key-order.ts';
import type { ReferenceNode } from './plan-node.ts';
import { findSoughtKeys } from './sought-keys.ts';

export function planRows(query: BoundQuery, parameters: readonly Value[]): ReferenceNode {
  const sought = findSoughtKeys(query, parameters);
  const input = sought && ({ kind: 'sought', sought } as const);
  return { kind: 'reference', query: dropKeyOrder(query), input };
}
