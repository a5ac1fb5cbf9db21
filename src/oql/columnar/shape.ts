// Decides whether a bound select can run over columns, and over which ones: every path that it
// reads becomes a column. A select that cannot has a reason, and falls back to the reference
// evaluator.

import type { ColumnPath } from '../../value/column-path.ts';
import { forEachChild, forEachPart } from '../bind/bound-children.ts';
import type { BoundExpression, BoundPath, BoundSelect } from '../bind/bound-query.ts';
import { leftJoinedRows } from '../bind/left-join.ts';
import { PathTable } from '../bind/path-table.ts';
import { type RegionSource, regionSourceOf } from '../bind/region-source.ts';
import { isAttributeName } from '../methods/method-names.ts';
import type { TableRequest } from './column-source.ts';
import { type LeftJoin, ROW_MEMBER, testRowsByMember, toLeftJoin } from './left-join.ts';

/** The source of the rows of one iterator. */
export type IteratorShape =
  | {
      readonly kind: 'region';
      readonly region: string;
      readonly table: number;
      readonly view: RegionSource['view'];
      /** How it is joined by LEFT JOIN: a row may have no row of it. */
      readonly leftJoin: LeftJoin | undefined;
    }
  | {
      readonly kind: 'items';
      /** The earlier iterator whose member is unnested. */
      readonly parent: number;
      readonly table: number;
      /** The collection, from the root of the table's documents. */
      readonly collection: ColumnPath;
    };

export interface ColumnShape {
  readonly iterator: number;
  readonly members: readonly string[];
  /** From the root of the stored value; empty for the key of the entry. */
  readonly path: ColumnPath;
}

export interface VectorShape {
  readonly select: BoundSelect;
  readonly iterators: readonly IteratorShape[];
  readonly columns: readonly ColumnShape[];
  /** One per region iterator, in the order of the tables. */
  readonly requests: readonly TableRequest[];
  /** The iterator of each projection that is a whole stored value, by projection. */
  readonly wholeValues: ReadonlyMap<number, number>;
}

export type ShapeOutcome = VectorShape | { readonly kind: 'rows'; readonly reason: string };

class NotColumnar extends Error {}

/** Planning a join takes quadratic time in its iterators, and a text can name hundreds. */
const MAX_ITERATORS = 64;

export function shapeSelect(body: BoundExpression): ShapeOutcome {
  try {
    if (body.kind !== 'select') throw new NotColumnar('it is not a select');
    const select = testRowsByMember(body);
    if (select === undefined) throw new NotColumnar(`it names a member "${ROW_MEMBER}"`);
    return new ShapeBuilder(select).build();
  } catch (error) {
    if (error instanceof NotColumnar) return { kind: 'rows', reason: error.message };
    throw error;
  }
}

class ShapeBuilder {
  readonly #select: BoundSelect;
  readonly #iterators: IteratorShape[] = [];
  readonly #regions: string[] = [];
  readonly #columns: ColumnShape[] = [];
  readonly #columnsByPath = new PathTable<ColumnShape>();
  readonly #wholeValues = new Map<number, number>();

  constructor(select: BoundSelect) {
    this.#select = select;
  }

  build(): VectorShape {
    const select = this.#select;
    if (select.iterators.length > MAX_ITERATORS) throw new NotColumnar('it has many iterators');
    for (const { source } of select.iterators) this.#iterators.push(this.#shapeIterator(source));
    for (const iterator of this.#iterators) {
      if (iterator.kind === 'items' || iterator.leftJoin === undefined) continue;
      const { equality, build, others } = iterator.leftJoin;
      for (const each of [equality.conjunct, ...build, ...others]) this.#visit(each);
    }
    forEachPart({ ...select, iterators: [], projections: [] }, this.#visit);
    if (select.shape !== 'count' || select.distinct) this.#visitProjections();
    return {
      select,
      iterators: this.#iterators,
      columns: this.#columns,
      requests: this.#requests(),
      wholeValues: this.#wholeValues,
    };
  }

  #visitProjections(): void {
    this.#select.projections.forEach(({ expression }, index) => {
      if (this.#isWholeValue(expression) && !this.#select.distinct) {
        this.#wholeValues.set(index, expression.iterator);
      } else {
        this.#visit(expression);
      }
    });
  }

  #isWholeValue(expression: BoundExpression): expression is BoundPath {
    if (expression.kind !== 'path') return false;
    const shape = this.#iterators[expression.iterator];
    if (shape?.kind !== 'region') return false;
    const { members } = expression;
    if (shape.view === 'values') return members.length === 0;
    return shape.view === 'entries' && members.length === 1 && members[0] === 'value';
  }

  #shapeIterator(source: BoundExpression): IteratorShape {
    const joined = leftJoinedRows(source);
    const region = regionSourceOf(joined?.iterators[0]?.source ?? source);
    if (region !== undefined) {
      const { name, view } = region;
      const leftJoin = joined && toLeftJoin(joined, this.#select, this.#iterators.length);
      if (joined !== undefined && (leftJoin === undefined || view === 'keys')) {
        throw new NotColumnar('ON of a LEFT JOIN has no equality between members');
      }
      const table = this.#regions.push(name) - 1;
      return { kind: 'region', region: name, table, view, leftJoin };
    }
    if (source.kind !== 'path' || this.#iterators.length === 0) {
      throw new NotColumnar('it iterates over something other than regions and their members');
    }
    const parent = this.#iterators[source.iterator];
    if (parent === undefined || source.depth !== this.#select.depth) {
      throw new NotColumnar('it iterates over members of an outer query');
    }
    if (isLeftJoined(parent)) throw new NotColumnar('it iterates over members of a LEFT JOIN');
    const collection = pathIn(parent, source.members);
    if (collection.length === 0) throw new NotColumnar('it iterates over a key');
    return { kind: 'items', parent: source.iterator, table: parent.table, collection };
  }

  readonly #visit = (expression: BoundExpression): void => {
    switch (expression.kind) {
      case 'path':
        this.#addColumn(expression);
        return;
      case 'select':
        throw new NotColumnar('it has a subquery');
      case 'region':
      case 'region-view':
        throw new NotColumnar('an expression reads a region');
      default:
        forEachChild(expression, this.#visit);
    }
  };

  #addColumn({ depth, iterator, members }: BoundPath): void {
    const shape = this.#iterators[iterator];
    if (shape === undefined || depth !== this.#select.depth) {
      throw new NotColumnar('it refers to an outer query');
    }
    this.#columnsByPath.findOrAdd(iterator, members, () => {
      const column = { iterator, members, path: pathIn(shape, members) };
      this.#columns.push(column);
      return column;
    });
  }

  #requests(): TableRequest[] {
    return this.#regions.map((region, table) => ({
      region,
      paths: this.#columns
        .filter((column) => this.#iterators[column.iterator]?.table === table)
        .map((column) => column.path)
        .filter((path) => path.length > 0),
      collections: this.#iterators.flatMap((iterator) =>
        iterator.kind === 'items' && iterator.table === table ? [iterator.collection] : [],
      ),
    }));
  }
}

/** Whether a row may have no row of an iterator. */
export function isLeftJoined(shape: IteratorShape | undefined): boolean {
  return shape?.kind === 'region' && shape.leftJoin !== undefined;
}

/** The path of members of an iterator in the stored values; empty for the key of the entry. */
function pathIn(shape: IteratorShape, members: readonly string[]): ColumnPath {
  requirePlainNames(members);
  if (shape.kind === 'items') return [...shape.collection, members];
  const [first, ...others] = members;
  if (shape.view === 'keys') {
    if (first !== undefined) throw new NotColumnar('a key has no members');
    return [];
  }
  if (shape.view === 'entries') {
    if (first === 'key' && others.length === 0) return [];
    if (first !== 'value') throw new NotColumnar('it computes with whole entries of a region');
  }
  if (first === ROW_MEMBER) return [];
  const inValue = shape.view === 'entries' ? others : members;
  if (inValue.length === 0) throw new NotColumnar('it computes with whole values of a region');
  return [inValue];
}

/** Refuses names that may be methods: the stored member alone does not decide their value. */
function requirePlainNames(members: readonly string[]): void {
  const name = members.find(isAttributeName);
  if (name !== undefined) throw new NotColumnar(`${name} may be a method`);
}

/** The number of the column of a path; -1 for any other expression. */
export type FindColumnNumber = (expression: BoundExpression) => number;

/** Finds columns by their paths; a query may have thousands. */
export function columnNumberFinder(columns: readonly ColumnShape[]): FindColumnNumber {
  let numbers: PathTable<number> | undefined;
  return (expression) => {
    if (expression.kind !== 'path') return -1;
    numbers ??= numberColumns(columns);
    return numbers.find(expression.iterator, expression.members) ?? -1;
  };
}

function numberColumns(columns: readonly ColumnShape[]): PathTable<number> {
  const numbers = new PathTable<number>();
  for (const [at, { iterator, members }] of columns.entries()) {
    numbers.findOrAdd(iterator, members, () => at);
  }
  return numbers;
}
