// A small seeded generator: the sample grid is the same on every machine.

export interface Random {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** Mulberry32: 32 bits of state, good enough for shop data. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number =>
    low + Math.floor(next() * (high - low + 1));
  return {
    between,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
  };
}
