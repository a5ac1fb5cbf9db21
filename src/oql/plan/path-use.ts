// The paths of a query in the form in which indexes are defined on them.

import type { ColumnPath } from '../../value/column-path.ts';
import type { BoundExpression, BoundPath } from '../bind/bound-query.ts';

/** Equal for equal terms of one table. */
export function termKey(table: number, term: string): string {
  return `${table}${term}`;
}

/** A path, or a member of the map at a path: `o.m['k']`. */
export interface PathUse {
  readonly path: BoundPath;
  readonly key: string | undefined;
}

export function pathUseOf(expression: BoundExpression | undefined): PathUse | undefined {
  if (expression?.kind === 'path') return { path: expression, key: undefined };
  if (expression?.kind !== 'index' || expression.target.kind !== 'path') return undefined;
  const { target, index } = expression;
  if (index.kind !== 'literal' || typeof index.value !== 'string') return undefined;
  return { path: target, key: index.value };
}

/** A path that goes on with members of what it leads to. */
export function extendPath(path: ColumnPath, members: readonly string[]): ColumnPath {
  return [...path.slice(0, -1), [...(path.at(-1) ?? []), ...members]];
}
