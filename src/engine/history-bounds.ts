/** Bounds of a region's history: states beyond either of them are trimmed. */
export interface HistoryBounds {
  /** Age since they were overwritten or removed; null for any age. */
  readonly ageMs: number | null;
  /** Number of changes whose previous state is kept; null for any number. */
  readonly count: number | null;
}
