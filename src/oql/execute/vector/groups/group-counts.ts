// The number of rows of each group. Counting with 32-bit integers takes a third of the time of
// doubles; they are added to doubles before they overflow.

import { PAGE_SIZE, PagedDoubles, PagedWords } from '../codes/pages.ts';

const MAX_RECENT = 2 ** 32 - 1;

export class GroupCounts {
  readonly #recent = new PagedWords();
  readonly #earlier = new PagedDoubles();
  /** Rows counted in `#recent`, of all groups. */
  #rows = 0;
  #groups = 0;

  /** Counts the groups of `size` rows; `groupCount` is the number of groups there are by now. */
  addAll(groups: Uint32Array, size: number, groupCount: number): void {
    this.#groups = groupCount;
    this.#recent.growFirst(groupCount);
    this.#expect(size);
    if (groupCount > PAGE_SIZE) {
      for (let at = 0; at < size; at += 1) {
        const group = groups[at] ?? 0;
        this.#recent.set(group, this.#recent.at(group) + 1);
      }
      return;
    }
    countGroups(groups, size, this.#recent.first);
  }

  /** The group must be within the last `groupCount`. */
  addOne(group: number): void {
    this.#expect(1);
    this.#recent.set(group, this.#recent.at(group) + 1);
  }

  of(group: number): number {
    return this.#earlier.at(group) + this.#recent.at(group);
  }

  #expect(rows: number): void {
    if (this.#rows + rows > MAX_RECENT) {
      for (let group = 0; group < this.#groups; group += 1) {
        this.#earlier.set(group, this.of(group));
        this.#recent.set(group, 0);
      }
      this.#rows = 0;
    }
    this.#rows += rows;
  }
}

/** Counts four rows at a time: V8 does not inline so long a function (`predicates/loops.ts`). */
function countGroups(groups: Uint32Array, size: number, counts: Uint32Array): void {
  let at = 0;
  for (; at < size - 3; at += 4) {
    const first = groups[at] ?? 0;
    const second = groups[at + 1] ?? 0;
    const third = groups[at + 2] ?? 0;
    const fourth = groups[at + 3] ?? 0;
    counts[first] = (counts[first] ?? 0) + 1;
    counts[second] = (counts[second] ?? 0) + 1;
    counts[third] = (counts[third] ?? 0) + 1;
    counts[fourth] = (counts[fourth] ?? 0) + 1;
  }
  for (; at < size; at += 1) {
    const group = groups[at] ?? 0;
    counts[group] = (counts[group] ?? 0) + 1;
  }
}
