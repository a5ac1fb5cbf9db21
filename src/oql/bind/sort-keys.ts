// ORDER BY: where rows without a value go.

import type { SortKey } from '../syntax/ast.ts';
import type { BoundSortKey } from './bound-query.ts';

/** NULLS FIRST and NULLS LAST sort by whether there is a value before they sort by it. */
export function orderNulls(key: BoundSortKey, nulls: SortKey['nulls']): readonly BoundSortKey[] {
  if (nulls === undefined) return [key];
  const { expression } = key;
  const isNull = {
    kind: 'is-null',
    operand: expression,
    negated: false,
    span: expression.span,
  } as const;
  const direction = nulls === 'last' ? 'asc' : 'desc';
  return [{ expression: isNull, direction, projection: undefined }, key];
}
