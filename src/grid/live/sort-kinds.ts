// Whether ORDER BY could sort the rows of a live query. A live query does not maintain the order of
// its rows, but like the query it must fail for values without a common order.

/** Kinds whose values can be ordered. */
const ORDERED: ReadonlySet<string> = new Set([
  '"boolean"',
  '"number"',
  '"string"',
  '"char"',
  '"date"',
]);
/** These sort before all others, and never clash. */
const ABSENT: ReadonlySet<string> = new Set(['"null"', '"missing"']);

export class SortKinds {
  /** Rows by the kinds of their sort values, each list of kinds as one text. */
  readonly #counts = new Map<string, number>();

  count(kinds: string, sign: 1 | -1): void {
    const count = (this.#counts.get(kinds) ?? 0) + sign;
    if (count === 0) this.#counts.delete(kinds);
    else this.#counts.set(kinds, count);
  }

  hasClash(): boolean {
    const columns: Map<string, number>[] = [];
    for (const [kinds, count] of this.#counts) {
      for (const [column, kind] of kinds.split(',').entries()) {
        if (ABSENT.has(kind)) continue;
        columns[column] ??= new Map();
        const counted = columns[column];
        counted.set(kind, (counted.get(kind) ?? 0) + count);
      }
    }
    return columns.some((counted) => {
      const [first, ...others] = counted ?? [];
      if (first === undefined) return false;
      const [kind, count] = first;
      return others.length > 0 || (!ORDERED.has(kind) && count > 1);
    });
  }
}
