// How entries come from the store: bytes, never strings.

/** Texts as UTF-8, one byte between each two; the i-th ends at `ends[i]`. */
export interface JoinedTexts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** Entries in key order: the i-th of `values` (compact JSON) belongs to the i-th of `keys`. */
export interface EntryBytes {
  readonly keys: JoinedTexts;
  readonly values: JoinedTexts;
  /** Gives the memory of the values back at once; they are not read afterwards. */
  readonly release?: () => void;
}

/** Where the text of this number begins. */
export function startOf(ends: Uint32Array, index: number): number {
  return index === 0 ? 0 : (ends[index - 1] ?? 0) + 1;
}
