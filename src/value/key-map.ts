// A map whose keys are texts, in parts once it is large. A JavaScript Map copies itself in one step
// when it grows, which takes 30 ms for a million keys.

/** Keys of a map with one part. More are moved to many, which takes less than a millisecond. */
const FEW_KEYS = 4096;
const PART_BITS = 6;
/** About as many characters of a longer key decide its part. */
const SAMPLED = 64;

export class KeyMap<Item extends NonNullable<unknown>> {
  #parts: readonly Map<string, Item>[] = [new Map()];
  size = 0;

  get(key: string): Item | undefined {
    return this.#partOf(key).get(key);
  }

  has(key: string): boolean {
    return this.#partOf(key).has(key);
  }

  set(key: string, item: Item): void {
    const part = this.#partOf(key);
    const before = part.size;
    part.set(key, item);
    if (part.size > before) this.#grow();
  }

  /** Adds a key unless it is there; returns whether it was added. */
  add(key: string, item: Item): boolean {
    const part = this.#partOf(key);
    if (part.has(key)) return false;
    part.set(key, item);
    this.#grow();
    return true;
  }

  #partOf(key: string): Map<string, Item> {
    const { length } = this.#parts;
    // Every number that `numberOf` returns is that of a part.
    return this.#parts[length === 1 ? 0 : numberOf(key)] as Map<string, Item>;
  }

  #grow(): void {
    this.size += 1;
    if (this.size !== FEW_KEYS) return;
    const [all] = this.#parts;
    this.#parts = Array.from({ length: 1 << PART_BITS }, () => new Map<string, Item>());
    for (const [key, item] of all ?? []) this.#partOf(key).set(key, item);
  }
}

function numberOf(key: string): number {
  const stride = Math.ceil(key.length / SAMPLED);
  let hash = key.length;
  // From the end, where long keys that are alike mostly differ.
  for (let at = key.length - 1; at >= 0; at -= stride) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> (32 - PART_BITS);
}
