// Terms: canonical texts of indexed expressions. `o.name` and `LOWER(o.name)` are terms, and two
// expressions have the same term exactly when an index on one serves conditions on the other.
//
//   o.name                     /.4:name
//   LOWER(o.name)              LOWER(/.4:name)
//   o.name.toLowerCase         /.4:name.toLowerCase()

import { toCollection } from '../../value/collections.ts';
import type { ColumnPath } from '../../value/column-path.ts';
import type { BoundExpression, BoundPath } from '../bind/bound-query.ts';
import { printNode } from '../bind/print-bound.ts';
import { JSON_METHOD_NAMES } from '../methods/method-names.ts';
import type { IndexFacts } from './column-source.ts';
import { SlotFinder, type VectorShape } from './shape.ts';

/** Equal for equal paths; names may hold any characters, so their lengths are included. */
export function pathTerm(path: ColumnPath): string {
  let term = '';
  for (const segment of path) {
    term += '/';
    for (const name of segment) term = memberTerm(term, name);
  }
  return term;
}

/** The term of a member of the value at a path. */
export function memberTerm(path: string, name: string): string {
  return `${path}.${name.length}:${name}`;
}

/** The terms of an index, the most significant first; none where no query can use it. */
export function termsOf({ path, terms }: IndexFacts): readonly string[] {
  return terms ?? (path === undefined ? [] : [pathTerm(path)]);
}

/** Whether an index has one value per row: it is not on members of items. */
export function isOfRow({ path, terms }: IndexFacts): boolean {
  return terms !== undefined || (path !== undefined && path.length <= 1);
}

/** The term of an expression; undefined if it depends on more than one row. */
function termOf(
  expression: BoundExpression,
  pathOf: (path: BoundPath) => ColumnPath | undefined,
): string | undefined {
  let isOfRows = true;
  const print = (node: BoundExpression): string => {
    if (node.kind === 'path') {
      const path = pathOf(node);
      isOfRows &&= path !== undefined;
      return pathTerm(path ?? []);
    }
    isOfRows &&= !OF_MORE.has(node.kind) && !isComposite(node);
    return isOfRows ? printNode(asMethod(node), print) : '';
  };
  const term = print(expression);
  return isOfRows ? term : undefined;
}

const OF_MORE: ReadonlySet<BoundExpression['kind']> = new Set([
  'select',
  'rows-by-key',
  'parameter',
  'region',
  'region-view',
  'group-key',
  'aggregate-result',
] as const);

/** The rows of a subquery that has run; no query text can spell them. */
function isComposite(node: BoundExpression): boolean {
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

/** Finds the terms of expressions of one select. */
export class TermFinder {
  readonly #shape: VectorShape;
  readonly #slots: SlotFinder;

  constructor(shape: VectorShape) {
    this.#shape = shape;
    this.#slots = new SlotFinder(shape.slots);
  }

  /** Undefined for expressions that do not depend on one row of one region. */
  find(expression: BoundExpression): RowTerm | undefined {
    if (expression.kind === 'path') return this.#findPath(expression);
    let iterator = -1;
    const term = termOf(expression, (path) => {
      const slot = this.#shape.slots[this.#slots.find(path)];
      const isFirst = iterator < 0;
      if (isFirst) iterator = path.iterator;
      const isOfRegion = slot !== undefined && slot.path.length <= 1;
      return isOfRegion && path.iterator === iterator ? slot.path : undefined;
    });
    const shape = this.#shape.iterators[iterator];
    if (term === undefined || shape?.kind !== 'region') return undefined;
    return { iterator, table: shape.table, term };
  }

  /** A path may also lead to members of items. */
  #findPath(expression: BoundPath): RowTerm | undefined {
    const slot = this.#shape.slots[this.#slots.find(expression)];
    const table = this.#shape.iterators[expression.iterator]?.table;
    if (slot === undefined || table === undefined) return undefined;
    return { iterator: expression.iterator, table, term: pathTerm(slot.path) };
  }
}
