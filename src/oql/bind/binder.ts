// What the bind functions share while one query is bound.

import { notSupported, type Place } from '../errors.ts';
import type { Expression, Placeholder, Program, SelectExpression } from '../syntax/ast.ts';
import type { Span } from '../syntax/position.ts';
import { forEachChild } from './bound-children.ts';
import type {
  BoundExpression,
  BoundParameter,
  BoundSelect,
  ParameterSlots,
} from './bound-query.ts';
import type { Catalog } from './catalog.ts';
import type { ElementType } from './element-type.ts';
import { createIdentities, type Identities } from './identities.ts';
import type { Scope } from './scope.ts';

export type BindSelect = (
  binder: Binder,
  select: SelectExpression,
  outer: Scope | undefined,
) => SelectBinding;

/** A bound SELECT, and what is known about the elements of its result. */
export interface SelectBinding {
  readonly select: BoundSelect;
  readonly elementType: ElementType;
}

/** How many expressions copies may add to a query; the longest text makes about as many itself. */
const MAX_COPIED = 50_000;

export class Binder {
  readonly text: string;
  readonly catalog: Catalog;
  readonly slots: Omit<ParameterSlots, 'hasMoment'>;
  /** Short name of each imported type, and its full one. */
  readonly imports: ReadonlyMap<string, string>;
  /** Tells which bound expressions mean the same. */
  readonly identities: Identities = createIdentities();
  readonly #bindSelect: BindSelect;
  readonly #namedSlots: ReadonlyMap<string, number>;
  readonly #sizes = new Map<BoundExpression, number>();
  #copied = 0;
  #hasMoment = false;

  /** `bindSelect` is passed in, since expressions hold SELECTs and SELECTs expressions. */
  constructor(program: Program, catalog: Catalog, bindSelect: BindSelect) {
    this.text = program.text;
    this.catalog = catalog;
    this.#namedSlots = assignNamedSlots(program.placeholders);
    this.slots = assignSlots(program.placeholders, this.#namedSlots);
    this.imports = new Map(
      program.imports.map(({ path, alias }) => [alias ?? path.at(-1) ?? '', path.join('.')]),
    );
    this.#bindSelect = bindSelect;
  }

  /** The slots of everything that was bound. */
  get parameters(): ParameterSlots {
    return { ...this.slots, hasMoment: this.#hasMoment };
  }

  /** The moment of the query, the same wherever it asks. */
  moment(span: Span): BoundParameter {
    this.#hasMoment = true;
    const slot = this.slots.numbered + this.slots.named.length;
    return { kind: 'parameter', slot, span };
  }

  bindSelect(select: SelectExpression, outer: Scope | undefined): SelectBinding {
    return this.#bindSelect(this, select, outer);
  }

  /**
   * The expression itself, which will stand in so many places more than it was written in. Copies
   * of copies would grow without bound, and everything behind the binder walks through all of them.
   */
  copy(node: BoundExpression, copies: number, span: Span): BoundExpression {
    this.#copied += copies * this.#sizeOf(node);
    if (this.#copied > MAX_COPIED) {
      const what =
        'To repeat so large an expression, by BETWEEN, CASE or the name of a projection,';
      throw notSupported(this.place(span), what);
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

  place(span: Span): Place {
    return { text: this.text, span };
  }

  slotOf(placeholder: Placeholder): number {
    return slotOf(placeholder, this.#namedSlots);
  }

  /** The written form of an expression, as messages quote it. */
  textOf(expression: Expression): string {
    return this.text.slice(expression.span.start, expression.span.end);
  }
}

/** Behind the numbered ones, in order of appearance. */
function assignNamedSlots(placeholders: readonly Placeholder[]): ReadonlyMap<string, number> {
  const numbered = countNumbered(placeholders);
  const slots = new Map<string, number>();
  for (const placeholder of placeholders) {
    if (placeholder.kind !== 'named-parameter' || slots.has(placeholder.name)) continue;
    slots.set(placeholder.name, numbered + slots.size);
  }
  return slots;
}

function countNumbered(placeholders: readonly Placeholder[]): number {
  let numbered = 0;
  for (const placeholder of placeholders) {
    if (placeholder.kind === 'numbered-parameter')
      numbered = Math.max(numbered, placeholder.number);
  }
  return numbered;
}

function slotOf(placeholder: Placeholder, named: ReadonlyMap<string, number>): number {
  return placeholder.kind === 'numbered-parameter'
    ? placeholder.number - 1
    : (named.get(placeholder.name) ?? -1);
}

function assignSlots(
  placeholders: readonly Placeholder[],
  named: ReadonlyMap<string, number>,
): Omit<ParameterSlots, 'hasMoment'> {
  const numbered = countNumbered(placeholders);
  const spans = new Array<Span | undefined>(numbered + named.size).fill(undefined);
  for (const placeholder of placeholders) spans[slotOf(placeholder, named)] ??= placeholder.span;
  return { numbered, named: [...named.keys()], spans };
}
