// A cache that evicts the least recently used element.

export class RecentlyUsed<T> {
  readonly #capacity: number;
  readonly #maxKeyUnits: number;
  #keyUnits = 0;
  /** A Map keeps the order of insertion; a used element is inserted again. */
  readonly #entries = new Map<string, T>();
  #newest: string | undefined;

  /** `maxKeyUnits` bounds the total length of keys, for values whose size grows with the key. */
  constructor(capacity: number, maxKeyUnits: number = Number.POSITIVE_INFINITY) {
    this.#capacity = capacity;
    this.#maxKeyUnits = maxKeyUnits;
  }

  get(key: string): T | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
      this.#newest = key;
    }
    return value;
  }

  set(key: string, value: T): void {
    this.#remove(key);
    this.#entries.set(key, value);
    this.#keyUnits += key.length;
    this.#newest = key;
    for (const oldest of this.#entries.keys()) {
      const isFull = this.#entries.size > this.#capacity || this.#keyUnits > this.#maxKeyUnits;
      if (!isFull || oldest === key) return;
      this.#remove(oldest);
    }
  }

  /** Least recently used first. */
  entries(): IterableIterator<[string, T]> {
    return this.#entries.entries();
  }

  clear(): void {
    this.#entries.clear();
    this.#keyUnits = 0;
  }

  #remove(key: string): void {
    if (this.#entries.delete(key)) this.#keyUnits -= key.length;
  }
}
