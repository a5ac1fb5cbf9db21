// Whether WHERE keeps a row for which its condition is neither true nor false.

import type { BoundExpression } from './bound-query.ts';

/**
 * Only true keeps a row, with one exception: where the whole condition is a single `<>`, a row for
 * which it is unknown is kept too.
 */
export function keepsUnknown(where: BoundExpression | undefined): boolean {
  return where?.kind === 'comparison' && where.operator === '<>';
}
