// The source of random choices for generated documents and queries.

import fc from 'fast-check';

/** Pseudo-random choices: the same seed gives the same ones. */
export class Choices {
  #state: number;
  #left: number;

  /** After `most` choices every further choice is the first alternative. */
  constructor(seed: number, most: number = Number.POSITIVE_INFINITY) {
    this.#state = seed >>> 0;
    this.#left = most;
  }

  /** A whole number from 0 to below `bound`. */
  below(bound: number): number {
    this.#left -= 1;
    if (this.#left < 0) return 0;
    // Mulberry32: small, fast, and good enough for this purpose.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  of<Item>(...items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  some<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: 1 + this.below(most) }, make);
  }
}

/** More choices than any query needs. */
const PLENTY = 1_000_000;

/**
 * An arbitrary made from choices, for properties. fast-check shrinks the number of choices, which
 * gives a smaller query.
 */
export function arbitraryFrom<Made>(make: (choices: Choices) => Made): fc.Arbitrary<Made> {
  const seed = fc.noShrink(fc.nat());
  return fc.tuple(seed, fc.nat(PLENTY)).map(([state, most]) => make(new Choices(state, most)));
}
