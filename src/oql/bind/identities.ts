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
import { printAggregate, printNode } from './print-bound.ts';

/** Expressions of one query by meaning. */
export interface Identities {
  /** Equal for two expressions exactly when they mean the same. */
  of(node: BoundExpression): number;
  ofAggregate(aggregate: BoundAggregate): number;
}

export function createIdentities(): Identities {
  return new NumberedExpressions();
}

/**
 * Visits each expression once, however often it is asked about, and never descends below a known
 * one. The kinds that texts can have by thousands are found without printing them.
 */
class NumberedExpressions implements Identities {
  #next = 0;
  readonly #known = new Map<BoundExpression, number>();
  readonly #byText = new Map<string, number>();
  readonly #byParts = new Map<number, number>();
  readonly #byValue = new Map<number, number>();
  readonly #paths = new PathTable<number>();
  readonly #add = (): number => this.#next++;

  // In the text of an expression a number stands for each of its parts.
  readonly #printPart = (node: BoundExpression): string => `#${this.of(node)}`;

  readonly of = (node: BoundExpression): number => {
    if (node.kind === 'path') return this.#ofPath(node);
    if (node.kind === 'literal' && typeof node.value === 'number') {
      return this.#ofNumber(node.value);
    }
    const seen = this.#known.get(node);
    if (seen !== undefined) return seen;
    const isBinary = node.kind === 'arithmetic' || node.kind === 'comparison';
    const number = isBinary
      ? this.#ofBinary(node)
      : this.#numberOf(this.#byText, printNode(node, this.#printPart));
    this.#known.set(node, number);
    return number;
  };

  ofAggregate(aggregate: BoundAggregate): number {
    return this.#numberOf(this.#byText, printAggregate(aggregate, this.#printPart));
  }

  #numberOf<Key>(numbers: Map<Key, number>, key: Key): number {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#next++;
    numbers.set(key, number);
    return number;
  }

  /** A whole number; one that is both 0 and negative is not written as a literal. */
  #ofNumber(value: number): number {
    return this.#numberOf(this.#byValue, value);
  }

  #ofBinary(node: BoundArithmetic | BoundComparison): number {
    const left = this.of(node.left);
    const right = this.of(node.right);
    if (left >= MOST_PACKED || right >= MOST_PACKED) {
      return this.#numberOf(this.#byText, `)${left}${node.operator}${right}`);
    }
    const operator = OPERATORS.indexOf(node.operator);
    return this.#numberOf(
      this.#byParts,
      (left * MOST_PACKED + right) * PACKED_OPERATORS + operator,
    );
  }

  #ofPath({ depth, iterator, members }: BoundPath): number {
    return this.#paths.findOrAdd(depth * MOST_PACKED + iterator, members, this.#add);
  }
}

/** Two numbers below this and an operator make one number that is exact. */
const MOST_PACKED = 2 ** 22;
const PACKED_OPERATORS = 16;
const OPERATORS: readonly string[] = ['+', '-', '*', '/', '%', '=', '<>', '<', '<=', '>', '>='];
