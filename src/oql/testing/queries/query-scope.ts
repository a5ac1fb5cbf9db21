// The iterators of a generated query, and the smallest expressions over them.

import type { Choices } from './choices.ts';

/** Iterators that the expressions of a query may use, by the kind of their values. */
export interface Scope {
  readonly documents: readonly string[];
  readonly items: readonly string[];
  readonly parts: readonly string[];
  /** Whether its rows are combinations of those of several regions. */
  readonly isJoined?: boolean;
  /** Makes operands instead of paths, for queries that are only parsed. */
  readonly operand?: (choices: Choices) => string;
  /** Names for projections, instead of the usual ones. */
  readonly names?: readonly string[];
}

export function member(choices: Choices): string {
  return choices.of('n', 'm', 's', 't', 'b', 'd', 'o.x', 'o.y', 'o', 'zz', 'k');
}

/** A leaf of an expression: a path from an iterator, or any operand. */
export function path(choices: Choices, scope: Scope): string {
  if (scope.operand !== undefined) return scope.operand(choices);
  const kind = choices.below(4);
  if (kind === 0 && scope.items.length > 0) {
    return `${choices.of(...scope.items)}${choices.of('.sku', '.q', '.q', '', '.zz')}`;
  }
  if (kind === 1 && scope.parts.length > 0) return `${choices.of(...scope.parts)}.w`;
  return `${choices.of(...scope.documents)}.${member(choices)}`;
}

export function numberPath(choices: Choices, scope: Scope): string {
  if (scope.operand !== undefined) return scope.operand(choices);
  return `${choices.of(...scope.documents)}.${choices.of('n', 'm', 'd', 'o.x')}`;
}

export function literal(choices: Choices): string {
  return choices.of(
    '0',
    '1',
    '2',
    '2.0',
    '2.5',
    '5',
    '-1',
    "'a'",
    "'ab'",
    "'b'",
    "''",
    'TRUE',
    'NULL',
    'UNDEFINED',
    '1.1f',
    '9007199254740993L',
    "CHAR 'a'",
    '-0.0',
    "'k7'",
    '1 + 1',
  );
}

export function operator(choices: Choices): string {
  return choices.of('=', '<>', '<', '<=', '>', '>=');
}
