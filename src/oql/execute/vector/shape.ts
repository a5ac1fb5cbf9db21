// Decides whether a bound select can run over columns, and over which: every path it reads becomes
// a slot. What cannot is told with a reason and left to the reference evaluator.

import { forEachChild } from '../../bind/bound-children.ts';
import type { BoundExpression, BoundPath, BoundSelect } from '../../bind/bound-query.ts';
import { isAttributeName } from './attribute-names.ts';
import type { ColumnPath, TableRequest } from './column-source.ts';

/** Where the rows of one iterator come from. */
export type IteratorShape =
  | { readonly kind: 'region'; readonly region: string; readonly table: number }
  | {
      readonly kind: 'items';
      /** The earlier iterator whose member is gone through. */
      readonly parent: number;
      readonly table: number;
      /** The collection, from the root of the table's documents. */
      readonly collection: ColumnPath;
    };

export interface SlotShape {
  readonly iterator: number;
  readonly members: readonly string[];
  readonly path: ColumnPath;
}

export interface VectorShape {
  readonly select: BoundSelect;
  readonly iterators: readonly IteratorShape[];
  readonly slots: readonly SlotShape[];
  /** One per region iterator, in the order of the tables. */
  readonly requests: readonly TableRequest[];
  /** Projections that are whole stored values, by the iterator they are of. */
  readonly wholeValues: ReadonlyMap<number, number>;
}

export type ShapeOutcome = VectorShape | { readonly kind: 'rows'; readonly reason: string };

class NotColumnar extends Error {}

/** Preparing a join takes time by the square of its regions, which a text can name by thousands. */
const MOST_ITERATORS = 64;

export function shapeSelect(body: BoundExpression): ShapeOutcome {
  try {
    if (body.kind !== 'select') throw new NotColumnar('it is not a select');
    return new ShapeBuilder(body).build();
  } catch (error) {
    if (error instanceof NotColumnar) return { kind: 'rows', reason: error.message };
    throw error;
  }
}

class ShapeBuilder {
  readonly #select: BoundSelect;
  readonly #iterators: IteratorShape[] = [];
  readonly #regions: string[] = [];
  readonly #slots = new Map<string, SlotShape>();
  readonly #wholeValues = new Map<number, number>();

  constructor(select: BoundSelect) {
    this.#select = select;
  }

  build(): VectorShape {
    const select = this.#select;
    if (select.iterators.length > MOST_ITERATORS) throw new NotColumnar('it has many iterators');
    for (const { source } of select.iterators) this.#iterators.push(this.#shapeIterator(source));
    if (select.where !== undefined) this.#visit(select.where);
    for (const key of select.grouping?.keys ?? []) this.#visit(key);
    for (const { argument } of select.grouping?.aggregates ?? []) {
      if (argument !== undefined) this.#visit(argument);
    }
    if (select.grouping?.having !== undefined) this.#visit(select.grouping.having);
    for (const { expression } of select.orderBy) this.#visit(expression);
    if (select.shape !== 'count' || select.distinct) this.#visitProjections();
    return {
      select,
      iterators: this.#iterators,
      slots: [...this.#slots.values()],
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
    if (expression.kind !== 'path' || expression.members.length > 0) return false;
    return this.#iterators[expression.iterator]?.kind === 'region';
  }

  #shapeIterator(source: BoundExpression): IteratorShape {
    const isValues = source.kind === 'region-view' && source.view === 'values';
    if (source.kind === 'region' || isValues) {
      this.#regions.push(source.name);
      return { kind: 'region', region: source.name, table: this.#regions.length - 1 };
    }
    if (source.kind !== 'path' || this.#iterators.length === 0) {
      throw new NotColumnar('it goes through something else than regions and their members');
    }
    const parent = this.#iterators[source.iterator];
    if (parent === undefined || source.depth !== this.#select.depth) {
      throw new NotColumnar('it goes through members of an outer query');
    }
    requirePlainNames(source.members);
    const prefix = parent.kind === 'items' ? parent.collection : [];
    return {
      kind: 'items',
      parent: source.iterator,
      table: parent.table,
      collection: [...prefix, source.members],
    };
  }

  #visit(expression: BoundExpression): void {
    switch (expression.kind) {
      case 'path':
        this.#addSlot(expression);
        return;
      case 'select':
        throw new NotColumnar('it has a subquery');
      case 'region':
      case 'region-view':
        throw new NotColumnar('an expression reads a region');
      default:
        forEachChild(expression, (child) => this.#visit(child));
    }
  }

  #addSlot({ depth, iterator, members }: BoundPath): void {
    const shape = this.#iterators[iterator];
    if (shape === undefined || depth !== this.#select.depth) {
      throw new NotColumnar('it refers to an outer query');
    }
    requirePlainNames(members);
    if (shape.kind === 'region' && members.length === 0) {
      throw new NotColumnar('it computes with whole values of a region');
    }
    const prefix = shape.kind === 'items' ? shape.collection : [];
    const slot = { iterator, members, path: [...prefix, members] };
    this.#slots.set(JSON.stringify([iterator, members]), slot);
  }

  #requests(): TableRequest[] {
    return this.#regions.map((region, table) => ({
      region,
      paths: [...this.#slots.values()]
        .filter((slot) => this.#iterators[slot.iterator]?.table === table)
        .map((slot) => slot.path),
      collections: this.#iterators
        .filter((iterator) => iterator.kind === 'items' && iterator.table === table)
        .map((iterator) => (iterator.kind === 'items' ? iterator.collection : [])),
    }));
  }
}

/** A member that values also have as a method is not told by the stored member alone. */
function requirePlainNames(members: readonly string[]): void {
  const name = members.find(isAttributeName);
  if (name !== undefined) throw new NotColumnar(`${name} may be a method`);
}

export function findSlot(slots: readonly SlotShape[], path: BoundPath): number {
  return slots.findIndex(
    (slot) =>
      slot.iterator === path.iterator &&
      slot.members.length === path.members.length &&
      slot.members.every((name, index) => name === path.members[index]),
  );
}

/** The path an index is on; undefined for an index on anything but a plain path. */
export function indexedPath(select: BoundSelect): ColumnPath | undefined {
  const shape = shapeSelect(select);
  const [projection] = select.projections;
  if (!('select' in shape) || projection?.expression.kind !== 'path') return undefined;
  return shape.slots[findSlot(shape.slots, projection.expression)]?.path;
}
