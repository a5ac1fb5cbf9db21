/** A binary heap: the children of the item at `i` are at `2i + 1` and `2i + 2`. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #compare: (left: T, right: T) => number;

  constructor(compare: (left: T, right: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The first item in the order of the heap. */
  get top(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#at(parent);
      if (this.#compare(above, item) <= 0) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  /** Removes the top; undefined if the heap is empty. */
  pop(): T | undefined {
    const items = this.#items;
    const [top] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && this.#isBefore(child + 1, child)) child += 1;
      const below = this.#at(child);
      if (this.#compare(last, below) <= 0) break;
      items[at] = below;
      at = child;
    }
    items[at] = last;
    return top;
  }

  #isBefore(left: number, right: number): boolean {
    return this.#compare(this.#at(left), this.#at(right)) < 0;
  }

  #at(index: number): T {
    // Callers stay within the array.
    return this.#items[index] as T;
  }
}
