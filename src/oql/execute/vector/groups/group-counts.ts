// The number of rows of each group. Counting with 32-bit integers takes a third of the time of
// doubles; they are added to doubles before they overflow.

import { PAGE_SIZE, PagedDoubles, PagedWords } from '../codes/pages.ts';

const MOST_RECENT = 2 ** 32 - 1;

export class GroupCounts {
  readonly #recent = new PagedWords();
  readonly #settled = new PagedDoubles();
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
    const recent = this.#recent.first;
    for (let at = 0; at < size; at += 1) {
      const group = groups[at] ?? 0;
      recent[group] = (recent[group] ?? 0) + 1;
    }
  }

  /** The group must be within the last `groupCount`. */
  addOne(group: number): void {
    this.#expect(1);
    this.#recent.set(group, this.#recent.at(group) + 1);
  }

  of(group: number): number {
    return this.#settled.at(group) + this.#recent.at(group);
  }

  #expect(rows: number): void {
    if (this.#rows + rows > MOST_RECENT) {
      for (let group = 0; group < this.#groups; group += 1) {
        this.#settled.set(group, this.of(group));
        this.#recent.set(group, 0);
      }
      this.#rows = 0;
    }
    this.#rows += rows;
  }
}
