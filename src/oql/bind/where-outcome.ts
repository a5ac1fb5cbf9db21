// Whether WHERE keeps a row for which its condition is neither true nor false.

import type { BoundExpression } from './bound-query.ts';

/**
 * Only true keeps a row, with one exception: where the whole condition is a single `<>`, a row for
 * which it is undecided is kept too.
 */
export function keepsUndecided(where: BoundExpression | undefined): boolean {
  return where?.kind === 'comparison' && where.operator === '<>';
}
