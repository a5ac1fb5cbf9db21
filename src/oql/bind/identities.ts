// Numbers bound expressions: two expressions have the same number exactly when they mean the same.
// GROUP BY and ORDER BY find the projections they refer to by that number. Comparing printed
// expressions instead would print every part of a large one.

import type {
  BoundAggregate,
  BoundArithmetic,
  BoundComparison,
  BoundExpression,
  BoundPath,
} from './bound-query.ts';
import { PathTable } from './path-table.ts';
import { printNode } from './print-bound.ts';

/**
 * Expressions of one query by meaning. Visits each expression once, and never descends below a known
 * one. Frequent kinds are identified without printing them.
 */
export class Identities {
  #next = 0;
  readonly #known = new Map<BoundExpression, number>();
  readonly #byText = new Map<string, number>();
  readonly #byParts = new Map<number, number>();
  /** By the function of an aggregate, and then by its argument; -1 stands for none. */
  readonly #aggregates = new Map<string, Map<number, number>>();
  readonly #byValue = new Map<number, number>();
  readonly #paths = new PathTable<number>();
  readonly #add = (): number => this.#next++;

  // In the text of an expression, each part is represented by its number.
  readonly #printPart = (node: BoundExpression): string => `#${this.of(node)}`;

  /** Equal for two expressions exactly when they mean the same. */
  readonly of = (node: BoundExpression): number => {
    if (node.kind === 'path') return this.#ofPath(node);
    if (node.kind === 'literal' && typeof node.value === 'number') {
      return this.#ofNumber(node.value);
    }
    const seen = this.#known.get(node);
    if (seen !== undefined) return seen;
    if (node.kind === 'arithmetic' || node.kind === 'comparison') return this.#ofBinary(node);
    const number = this.#numberOf(this.#byText, printNode(node, this.#printPart));
    this.#known.set(node, number);
    return number;
  };

  ofAggregate(aggregate: BoundAggregate): number {
    const { function: name, distinct, argument } = aggregate;
    const key = distinct ? `${name} distinct` : name;
    let byArgument = this.#aggregates.get(key);
    if (byArgument === undefined) {
      byArgument = new Map();
      this.#aggregates.set(key, byArgument);
    }
    return this.#numberOf(byArgument, argument === undefined ? -1 : this.of(argument));
  }

  #numberOf<Key>(numbers: Map<Key, number>, key: Key): number {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#next++;
    numbers.set(key, number);
    return number;
  }

  /** Literals of this type are whole numbers, and never -0. */
  #ofNumber(value: number): number {
    return this.#numberOf(this.#byValue, value);
  }

  /** Numbers a chain such as `a + b + …` in a loop, because recursive calls are slow. */
  #ofBinary(node: BoundBinary): number {
    const links = [node];
    let first = node.left;
    while (isBinary(first) && !this.#known.has(first)) {
      links.push(first);
      first = first.left;
    }
    let number = this.of(first);
    for (let link = links.pop(); link !== undefined; link = links.pop()) {
      number = this.#ofParts(link.operator, number, this.of(link.right));
      this.#known.set(link, number);
    }
    return number;
  }

  #ofParts(written: BoundBinary['operator'], left: number, right: number): number {
    if (left >= MOST_PACKED || right >= MOST_PACKED) {
      return this.#numberOf(this.#byText, `)${left}${written}${right}`);
    }
    const operator = OPERATORS.indexOf(written);
    const isSmall = left < FEW_LEFT && right < FEW_RIGHT;
    const key = isSmall
      ? (left * FEW_RIGHT + right) * PACKED_OPERATORS + operator
      : -((left * MOST_PACKED + right) * PACKED_OPERATORS + operator);
    return this.#numberOf(this.#byParts, key);
  }

  #ofPath({ depth, iterator, members }: BoundPath): number {
    return this.#paths.findOrAdd(depth * MOST_PACKED + iterator, members, this.#add);
  }
}

type BoundBinary = BoundArithmetic | BoundComparison;

function isBinary(node: BoundExpression): node is BoundBinary {
  return node.kind === 'arithmetic' || node.kind === 'comparison';
}

/** Two numbers below this and an operator make one number that is exact. */
const MOST_PACKED = 2 ** 22;
const PACKED_OPERATORS = 16;
/**
 * Two numbers below these limits make a key of 31 bits, for which V8 needs no object. Other keys are
 * negative, so that all are different.
 */
const FEW_LEFT = 2 ** 12;
const FEW_RIGHT = 2 ** 15;
const OPERATORS: readonly string[] = ['+', '-', '*', '/', '%', '=', '<>', '<', '<=', '>', '>='];
