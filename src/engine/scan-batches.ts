// The forms of a scan.

/** The contents of a batch, by form. */
export interface ScanBatches {
  readonly entries: EntryBytes;
  /** UTF-8, joined by commas as the elements of a JSON array are. The caller owns them. */
  readonly values: Uint8Array;
  readonly keys: readonly string[];
}

export type ScanForm = keyof ScanBatches;

/** Entries in the order of a scan, as bytes: the i-th of `keys` belongs to the i-th of `values`. */
export interface EntryBytes {
  readonly keys: JoinedTexts;
  /** Compact JSON, joined by `\n`. */
  readonly values: JoinedTexts;
  /**
   * Frees the memory of the values at once, after which they cannot be read. The garbage collector would
   * pause the program repeatedly for those of a large region.
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
