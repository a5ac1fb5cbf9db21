/** How much of a region's past is kept: states leave it when either bound is passed. */
export interface HistoryBounds {
  /** Since they were overwritten or removed; null for any age. */
  readonly ageMs: number | null;
  /** Changes whose state before is kept; null for any number. */
  readonly count: number | null;
}
