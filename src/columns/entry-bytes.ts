// The form of entries from the store: bytes, never strings.

/** Texts as UTF-8, separated by one byte; the i-th ends at `ends[i]`. */
export interface JoinedTexts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** Entries in key order: the i-th of `values` (compact JSON) belongs to the i-th of `keys`. */
export interface EntryBytes {
  readonly keys: JoinedTexts;
  readonly values: JoinedTexts;
  /** Frees the memory of the values at once; call it after the last read. */
  readonly release?: () => void;
}

/** The start of the text with this index. */
export function startOf(ends: Uint32Array, index: number): number {
  return index === 0 ? 0 : (ends[index - 1] ?? 0) + 1;
}
