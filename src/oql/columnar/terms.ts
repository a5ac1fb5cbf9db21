// Terms: canonical texts of indexed expressions. `o.name` and `LOWER(o.name)` are terms, and two
// expressions have the same term exactly when an index on one serves conditions on the other.
//
//   o.name                     /.4:name
//   LOWER(o.name)              LOWER(/.4:name)
//   o.name.toLowerCase         /.4:name.toLowerCase()

import { toCollection } from '../../value/collections.ts';
import { pathKey } from '../../value/column-path.ts';
import type { BoundExpression, BoundPath } from '../bind/bound-query.ts';
import { printNode } from '../bind/print-bound.ts';
import { JSON_METHOD_NAMES } from '../methods/method-names.ts';
import type { IndexFacts } from './column-source.ts';
import { columnNumberFinder, type VectorShape } from './shape.ts';

/** The terms of an index, the most significant first; none where no query can use it. */
export function termsOf({ path, terms }: IndexFacts): readonly string[] {
  return terms ?? (path === undefined ? [] : [pathKey(path)]);
}

/** Whether an index has one value per row: it is not on members of items. */
export function isOfRow({ path, terms }: IndexFacts): boolean {
  return terms !== undefined || (path !== undefined && path.length <= 1);
}

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

/** Expressions whose value depends on more than one row: on other rows, or on a parameter. */
const NOT_OF_ROW: ReadonlySet<BoundExpression['kind']> = new Set([
  'select',
  'rows-by-key',
  'parameter',
  'region',
  'region-view',
  'group-key',
  'aggregate-result',
] as const);

/** The rows of a subquery that has run; no query text can spell them. */
function isCompositeLiteral(node: BoundExpression): boolean {
  return node.kind === 'literal' && toCollection(node.value) !== undefined;
}

/** `x.toLowerCase` calls the method like `x.toLowerCase()`, unless `x` is an object. */
function asMethod(node: BoundExpression): BoundExpression {
  if (node.kind !== 'member' || !JSON_METHOD_NAMES.has(node.name)) return node;
  return { ...node, kind: 'method', arguments: [] };
}

export interface RowTerm {
  readonly iterator: number;
  readonly table: number;
  readonly term: string;
}

/** The term of an expression; undefined if it does not depend on one row of one region. */
export type FindTerm = (expression: BoundExpression) => RowTerm | undefined;

/** Finds the terms of expressions of one select. */
export function termFinder({ iterators, columns }: VectorShape): FindTerm {
  const columnNumberOf = columnNumberFinder(columns);
  /** A path may also lead to members of items. */
  const findPath = (path: BoundPath): RowTerm | undefined => {
    const column = columns[columnNumberOf(path)];
    const table = iterators[path.iterator]?.table;
    if (column === undefined || table === undefined) return undefined;
    return { iterator: path.iterator, table, term: pathKey(column.path) };
  };
  return (expression) => {
    if (expression.kind === 'path') return findPath(expression);
    let iterator = -1;
    let isOfRow = true;
    const print = (node: BoundExpression): string => {
      if (node.kind === 'path') {
        const rowTerm = findPath(node);
        if (iterator < 0) iterator = node.iterator;
        isOfRow &&= rowTerm?.iterator === iterator;
        return rowTerm?.term ?? '';
      }
      isOfRow &&= !NOT_OF_ROW.has(node.kind) && !isCompositeLiteral(node);
      return isOfRow ? printNode(asMethod(node), print) : '';
    };
    const term = print(expression);
    const shape = iterators[iterator];
    if (!isOfRow || shape?.kind !== 'region') return undefined;
    return { iterator, table: shape.table, term };
  };
}
