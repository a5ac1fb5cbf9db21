// Entries as bytes, never strings: `engine` reads them from the store and `columns` scans them.

/** Entries in the order of a scan: the i-th of `keys` belongs to the i-th of `values`. */
export interface EntryBytes {
  readonly keys: JoinedTexts;
  /** Compact JSON, joined by `\n`. */
  readonly values: JoinedTexts;
  /**
   * Frees the memory of the values at once, after which they cannot be read. The garbage collector
   * would pause the program repeatedly for those of a large region.
   */
  readonly release?: () => void;
}

/**
 * Texts as UTF-8, with one separator byte between two.
 *
 *   bytes  a b c _ d _ e f      ends  3 5 8
 */
export interface JoinedTexts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** The start of the text with this index. */
export function startOf(ends: Uint32Array, index: number): number {
  return index === 0 ? 0 : (ends[index - 1] ?? 0) + 1;
}
