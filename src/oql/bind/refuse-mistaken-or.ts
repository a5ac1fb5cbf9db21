// `||` concatenates strings. A person who writes `a = 1 || b = 2` means OR, but would get a
// comparison with a string.

import { syntaxError } from '../errors.ts';
import type { Arithmetic, Comparison, Expression } from '../syntax/ast.ts';
import type { Binder } from './binder.ts';

/** Expressions that give a truth value; a text beside them in OR is nearly always a mistake. */
export const CONDITIONS: ReadonlySet<Expression['kind']> = new Set([
  'comparison',
  'and',
  'or',
  'like',
  'in',
  'between',
  'is-null',
  'is-type',
  'is-defined',
] as const);

/** `(a = 1) || (b = 2)`, and `a = 1 || b = 2`, which is parsed as `(a = (1 || b)) = 2`. */
export function refuseMistakenOr(binder: Binder, node: Arithmetic | Comparison): void {
  const joined = node.kind === 'arithmetic' ? node : rightOf(node.left);
  if (joined?.kind !== 'arithmetic' || joined.operator !== '||') return;
  const isMistaken =
    node.kind === 'comparison' ||
    CONDITIONS.has(joined.left.kind) ||
    CONDITIONS.has(joined.right.kind);
  if (!isMistaken) return;
  const hint = 'Write OR between conditions: a = 1 OR b = 2';
  throw syntaxError(binder.locate(joined.span), '|| joins texts, not conditions', hint);
}

function rightOf(node: Expression): Expression | undefined {
  return node.kind === 'comparison' ? node.right : undefined;
}
