// Where generated documents and queries take their choices from.

import fc from 'fast-check';

/** Choices made of a seed: the same seed makes the same ones again. */
export class Choices {
  #state: number;
  #left: number;

  /** After `most` choices always the first of what can be chosen. */
  constructor(seed: number, most: number = Number.POSITIVE_INFINITY) {
    this.#state = seed >>> 0;
    this.#left = most;
  }

  /** A whole number from 0 to below `bound`. */
  below(bound: number): number {
    this.#left -= 1;
    if (this.#left < 0) return 0;
    // Mulberry32: small, fast, good enough to make choices.
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

/** So many that no query needs more. */
const PLENTY = 1_000_000;

/**
 * What is made of choices, for properties. fast-check shrinks the number of choices: fewer of them
 * give a smaller query.
 */
export function arbitraryFrom<Made>(make: (choices: Choices) => Made): fc.Arbitrary<Made> {
  const seed = fc.noShrink(fc.nat());
  return fc.tuple(seed, fc.nat(PLENTY)).map(([state, most]) => make(new Choices(state, most)));
}
