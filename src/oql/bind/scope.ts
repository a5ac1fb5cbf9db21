// Name resolution at one point of a query. Each SELECT opens a scope inside that of the SELECT
// around it; its iterators become visible from left to right.

import type { BoundAggregate, BoundExpression } from './bound-query.ts';
import { type ElementType, UNTYPED, withoutGetter } from './element-type.ts';
import type { Identities } from './identities.ts';

export interface ScopeIterator {
  readonly depth: number;
  readonly index: number;
  /** Only a name that was written down can be referred to. */
  readonly alias: string | undefined;
  /** For messages, where there is no alias. */
  readonly name: string;
  readonly type: ElementType;
  /** Whether its rows are values of a region, which are never texts. */
  readonly isDocument: boolean;
}

/** The clause being bound: it decides where aggregates and projection aliases may stand. */
export type Clause =
  | 'from'
  | 'where'
  | 'group-by'
  | 'projection'
  | 'having'
  | 'order-by'
  | 'aggregate';

export type ImplicitOwner =
  | { readonly kind: 'found'; readonly iterator: ScopeIterator }
  | { readonly kind: 'ambiguous'; readonly owners: readonly ScopeIterator[] }
  | { readonly kind: 'none'; readonly untyped: readonly ScopeIterator[] };

const NO_OWNERS: readonly ScopeIterator[] = [];

export class Scope {
  readonly outer: Scope | undefined;
  readonly depth: number;
  readonly aggregates: BoundAggregate[] = [];
  clause: Clause = 'from';
  // A text may have thousands of subqueries, most of which need little of the following.
  #iterators: ScopeIterator[] | undefined;
  /** Iterators by alias, except the first one, which is mostly the only one. */
  #aliases: Map<string, ScopeIterator> | undefined;
  /** Named projections, known once the projections are bound. */
  #projections: Map<string, BoundExpression> | undefined;
  /** Iterators of known type by the names of their members. */
  #owners: Map<string, ScopeIterator[]> | undefined;
  /** Whether an iterator that is visible here has members that are known. */
  #hasOwners: boolean;
  /** Cached owner of every name that no iterator of known type has, until one more is added. */
  #ownerOfOthers: ImplicitOwner | undefined;
  /** The index of each aggregate by its identity, so that equal ones are computed once. */
  #aggregateIndexes: Map<number, number> | undefined;

  constructor(outer: Scope | undefined, depth: number = outer === undefined ? 0 : outer.depth + 1) {
    this.outer = outer;
    this.depth = depth;
    this.#hasOwners = outer === undefined ? false : outer.#hasOwners;
  }

  /** A scope at the same depth in which none of the names here is known. */
  withoutNames(): Scope {
    return new Scope(undefined, this.depth);
  }

  addIterator(iterator: ScopeIterator): void {
    const { alias, type } = iterator;
    // V8 allocates 17 elements at the first push.
    if (this.#iterators === undefined) this.#iterators = [iterator];
    else this.#iterators.push(iterator);
    this.#ownerOfOthers = undefined;
    if (alias !== undefined && iterator.index > 0) this.#addAlias(alias, iterator);
    if (type.kind === 'untyped') return;
    for (const member of type.members) {
      this.#hasOwners = true;
      this.#owners ??= new Map();
      const owners = this.#owners.get(member);
      if (owners === undefined) this.#owners.set(member, [iterator]);
      else owners.push(iterator);
    }
  }

  /** If two iterators have one alias, the first one counts. */
  #addAlias(alias: string, iterator: ScopeIterator): void {
    this.#aliases ??= new Map();
    if (!this.#aliases.has(alias)) this.#aliases.set(alias, iterator);
  }

  /** The number of the aggregate among those of this SELECT; a new one is added. */
  collectAggregate(aggregate: BoundAggregate, identities: Identities): number {
    const identity = identities.ofAggregate(aggregate);
    this.#aggregateIndexes ??= new Map();
    const known = this.#aggregateIndexes.get(identity);
    if (known !== undefined) return known;
    this.#aggregateIndexes.set(identity, this.aggregates.length);
    return this.aggregates.push(aggregate) - 1;
  }

  /** If two projections have one name, the first one counts. */
  nameProjection(name: string, expression: BoundExpression): void {
    this.#projections ??= new Map();
    if (!this.#projections.has(name)) this.#projections.set(name, expression);
  }

  findProjection(name: string): BoundExpression | undefined {
    return this.#projections?.get(name);
  }

  /** The iterator with that alias, of this SELECT or the nearest one around it. */
  findAlias(name: string): ScopeIterator | undefined {
    const first = this.#iterators?.[0];
    if (first?.alias === name) return first;
    return this.#aliases?.get(name) ?? this.outer?.findAlias(name);
  }

  /** The type of an iterator's elements. */
  typeOf(depth: number, iterator: number): ElementType {
    if (depth === this.depth) return this.#iterators?.[iterator]?.type ?? UNTYPED;
    return this.outer?.typeOf(depth, iterator) ?? UNTYPED;
  }

  /** Every iterator that is visible here, innermost SELECT first. */
  visibleIterators(): readonly ScopeIterator[] {
    return [...(this.#iterators ?? []), ...(this.outer?.visibleIterators() ?? [])];
  }

  /**
   * The iterator that owns an unqualified name: the only one of known type that has such a member,
   * or else the only one of unknown type, in all SELECTs that are open here.
   */
  findOwner(name: string): ImplicitOwner {
    const owners = this.#hasOwners ? this.#ownersOf(name) : NO_OWNERS;
    const owner = owners[0];
    if (owner !== undefined) {
      return owners.length === 1
        ? { kind: 'found', iterator: owner }
        : { kind: 'ambiguous', owners };
    }
    this.#ownerOfOthers ??= this.#findOwnerOfOthers();
    return this.#ownerOfOthers;
  }

  #findOwnerOfOthers(): ImplicitOwner {
    const visible = this.visibleIterators();
    const untyped = visible.filter(({ type }) => type.kind === 'untyped');
    // A document may have members not seen yet; without another candidate it is meant.
    const [candidate, ...more] =
      untyped.length > 0 ? untyped : visible.filter(({ type }) => type.kind === 'document');
    return candidate !== undefined && more.length === 0
      ? { kind: 'found', iterator: candidate }
      : { kind: 'none', untyped };
  }

  #ownersOf(name: string): readonly ScopeIterator[] {
    const own = this.#ownOwnersOf(name);
    if (this.outer === undefined) return own;
    const outer = this.outer.#ownersOf(name);
    if (own.length === 0) return outer;
    return outer.length === 0 ? own : [...own, ...outer];
  }

  #ownOwnersOf(name: string): readonly ScopeIterator[] {
    if (this.#owners === undefined) return NO_OWNERS;
    return this.#owners.get(name) ?? this.#owners.get(withoutGetter(name)) ?? NO_OWNERS;
  }
}
