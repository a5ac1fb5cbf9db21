// How many rows each group has. Whole numbers of 32 bits are counted up in a third of the time that
// doubles take; they are added to doubles before they could overflow.

const MOST_RECENT = 2 ** 32 - 1;

export class GroupCounts {
  #recent: Uint32Array = new Uint32Array(64);
  #settled: Float64Array = new Float64Array(64);
  /** Rows counted in `#recent`, of all groups. */
  #rows = 0;

  /** Counts the groups of `size` rows; `groupCount` is the number of groups there are by now. */
  addAll(groups: Uint32Array, size: number, groupCount: number): void {
    if (groupCount > this.#recent.length) this.#grow(groupCount * 2);
    this.#expect(size);
    const recent = this.#recent;
    for (let at = 0; at < size; at += 1) {
      const group = groups[at] ?? 0;
      recent[group] = (recent[group] ?? 0) + 1;
    }
  }

  /** The group must be one that was spoken of before. */
  addOne(group: number): void {
    this.#expect(1);
    this.#recent[group] = (this.#recent[group] ?? 0) + 1;
  }

  of(group: number): number {
    return (this.#settled[group] ?? 0) + (this.#recent[group] ?? 0);
  }

  #expect(rows: number): void {
    if (this.#rows + rows > MOST_RECENT) {
      this.#settled = this.#settled.map((_, group) => this.of(group));
      this.#recent.fill(0);
      this.#rows = 0;
    }
    this.#rows += rows;
  }

  #grow(length: number): void {
    const recent = new Uint32Array(length);
    recent.set(this.#recent);
    this.#recent = recent;
    const settled = new Float64Array(length);
    settled.set(this.#settled);
    this.#settled = settled;
  }
}
