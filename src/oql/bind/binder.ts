// State that the bind functions share while one query is bound.

import { type Location, notSupported } from '../errors.ts';
import type {
  Definition,
  Expression,
  Placeholder,
  Program,
  SelectExpression,
  SetOperation,
  With,
} from '../syntax/ast.ts';
import type { Span } from '../syntax/position.ts';
import { forEachChild } from './bound-children.ts';
import type { BoundExpression, BoundParameter, ParameterSlots } from './bound-query.ts';
import type { Catalog } from './catalog.ts';
import type { ElementType } from './element-type.ts';
import { Identities } from './identities.ts';
import type { Scope } from './scope.ts';

export type QueryExpression = SelectExpression | SetOperation | With;

export function isQueryExpression(node: Expression): node is QueryExpression {
  return node.kind === 'select' || node.kind === 'set-operation' || node.kind === 'with';
}

export type BindQueryExpression = (
  binder: Binder,
  query: QueryExpression,
  outer: Scope | undefined,
) => QueryBinding;

/** A bound query, with the known type of its result elements. */
export interface QueryBinding {
  readonly query: BoundExpression;
  readonly elementType: ElementType;
  /** Its columns; undefined where rows are bare values. */
  readonly columns: readonly { readonly name: string }[] | undefined;
}

/** How many expressions copies may add to a query; the longest text makes about as many itself. */
const MAX_COPIED = 20_000;

/** Uses of names of WITH in one query, with the uses inside of each named query. */
const MAX_EXPANDED = 200;

export class Binder {
  readonly text: string;
  readonly catalog: Catalog;
  readonly slots: Omit<ParameterSlots, 'hasQueryTime'>;
  /** Short name of each imported type, and its full one. */
  readonly imports: ReadonlyMap<string, string>;
  /** Finds bound expressions that mean the same. */
  readonly identities: Identities = new Identities();
  readonly #bindQuery: BindQueryExpression;
  /** The queries that WITH has named, innermost last. */
  #definitions: readonly Definition[] = [];
  #expanded = 0;
  /** Named parameters, by their order of appearance. */
  readonly #named = new Map<string, number>();
  readonly #sizes = new Map<BoundExpression, number>();
  #copied = 0;
  #hasQueryTime = false;

  /** `bindQuery` is passed in, because expressions contain queries, and queries expressions. */
  constructor(program: Program, catalog: Catalog, bindQuery: BindQueryExpression) {
    this.text = program.text;
    this.catalog = catalog;
    let numbered = 0;
    for (const each of program.placeholders) {
      if (each.kind === 'numbered-parameter') numbered = Math.max(numbered, each.number);
      else if (!this.#named.has(each.name)) this.#named.set(each.name, this.#named.size);
    }
    const spans = new Array<Span | undefined>(numbered + this.#named.size).fill(undefined);
    this.slots = { numbered, named: [...this.#named.keys()], spans };
    for (const each of program.placeholders) spans[this.slotOf(each)] ??= each.span;
    this.imports = new Map(
      program.imports.map(({ path, alias }) => [alias ?? path.at(-1) ?? '', path.join('.')]),
    );
    this.#bindQuery = bindQuery;
  }

  /** The slots of everything that was bound. */
  get parameters(): ParameterSlots {
    return { ...this.slots, hasQueryTime: this.#hasQueryTime };
  }

  /** The slot of the time of the query, which is the same for all functions. */
  queryTime(span: Span): BoundParameter {
    this.#hasQueryTime = true;
    const slot = this.slots.numbered + this.slots.named.length;
    return { kind: 'parameter', slot, span };
  }

  bindQuery(query: QueryExpression, outer: Scope | undefined): QueryBinding {
    return this.#bindQuery(this, query, outer);
  }

  /** Whether WITH gave a query that name. */
  isNamed(name: string): boolean {
    return this.#definitions.some((definition) => definition.name === name);
  }

  /** The query that WITH named, if there is one. It cannot refer to rows of the query that uses it. */
  bindNamed(name: string, scope: Scope | undefined): QueryBinding | undefined {
    const at = this.#definitions.findLastIndex((definition) => definition.name === name);
    const found = this.#definitions[at];
    if (found === undefined) return undefined;
    const { query: body, span } = found;
    this.#countExpansion(span);
    const binding = this.withDefinitions(this.#definitions.slice(0, at), () =>
      this.#bindQuery(this, { kind: 'with', definitions: [], body, span }, scope?.withoutNames()),
    );
    // Unlike other copies it was bound again, so it counts twice.
    this.copy(binding.query, 2, span);
    return binding;
  }

  get definitions(): readonly Definition[] {
    return this.#definitions;
  }

  /** Binds with these definitions in scope; each sees only those before it. */
  withDefinitions<Result>(definitions: readonly Definition[], bind: () => Result): Result {
    const outer = this.#definitions;
    this.#definitions = definitions;
    try {
      return bind();
    } finally {
      this.#definitions = outer;
    }
  }

  /** Counts the uses of named queries, because names within names would grow without bound. */
  #countExpansion(span: Span): void {
    this.#expanded += 1;
    if (this.#expanded > MAX_EXPANDED) {
      throw notSupported(this.locate(span), `To use named queries more than ${MAX_EXPANDED} times`);
    }
  }

  /**
   * The expression itself, which will be used so many times more than it was written. Copies
   * of copies would grow without bound, and everything after the binder walks through all of them.
   */
  copy(node: BoundExpression, copies: number, span: Span): BoundExpression {
    this.#copied += copies * this.#sizeOf(node);
    if (this.#copied > MAX_COPIED) {
      const what =
        'To repeat so large an expression, by BETWEEN, CASE, WITH or the name of a projection,';
      throw notSupported(this.locate(span), what);
    }
    return node;
  }

  /** How many expressions it consists of, each copy counted. */
  #sizeOf(node: BoundExpression): number {
    const known = this.#sizes.get(node);
    if (known !== undefined) return known;
    let size = 1;
    forEachChild(node, (child) => {
      size += this.#sizeOf(child);
    });
    this.#sizes.set(node, size);
    return size;
  }

  locate(span: Span): Location {
    return { text: this.text, span };
  }

  slotOf(placeholder: Placeholder): number {
    return placeholder.kind === 'numbered-parameter'
      ? placeholder.number - 1
      : this.slots.numbered + (this.#named.get(placeholder.name) ?? -1);
  }

  /** The written form of an expression, as messages quote it. */
  textOf({ span }: { readonly span: Span }): string {
    return this.text.slice(span.start, span.end);
  }
}
