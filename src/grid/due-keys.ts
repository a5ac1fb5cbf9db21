// Keys by due time, in memory: a list of keys per time slice, and a heap of the slices. Some 60
// bytes per key besides the key itself. A key may be listed twice or be outdated: the record in the
// store decides when it is due.

/** Keys of one slice are due together, so none is late by more than this. */
const SLICE_MS = 50;

export class DueKeys {
  readonly #slices = new Map<number, string[]>();
  /** A binary heap of slice numbers, smallest first. */
  readonly #heap: number[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(key: string, dueMs: number): void {
    const slice = Math.ceil(dueMs / SLICE_MS);
    const keys = this.#slices.get(slice);
    this.#size += 1;
    if (keys !== undefined) {
      keys.push(key);
      return;
    }
    this.#slices.set(slice, [key]);
    this.#push(slice);
  }

  /** When the next keys are due; undefined when there are none. */
  get nextMs(): number | undefined {
    const [first] = this.#heap;
    return first === undefined ? undefined : first * SLICE_MS;
  }

  /** Removes and returns up to `limit` keys that are due. */
  take(nowMs: number, limit: number): readonly string[] {
    const taken: string[] = [];
    while (taken.length < limit && (this.nextMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const slice = this.#heap[0] ?? 0;
      const keys = this.#slices.get(slice) ?? [];
      const part = keys.splice(Math.max(0, keys.length - (limit - taken.length)));
      for (const key of part) taken.push(key);
      if (keys.length > 0) break;
      this.#slices.delete(slice);
      this.#pop();
    }
    this.#size -= taken.length;
    return taken;
  }

  clear(): void {
    this.#slices.clear();
    this.#heap.length = 0;
    this.#size = 0;
  }

  #push(slice: number): void {
    const heap = this.#heap;
    let at = heap.push(slice) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above] ?? 0;
      if (parent <= slice) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = slice;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      const right = below + 1;
      const child = (heap[right] ?? Number.POSITIVE_INFINITY) < (heap[below] ?? 0) ? right : below;
      const slice = heap[child] ?? 0;
      if (last <= slice) break;
      heap[at] = slice;
      at = child;
    }
    heap[at] = last;
  }
}
