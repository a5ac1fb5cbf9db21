// Figures and state that an engine reports about itself.

/** Each reason is one sentence for an operator, without data. */
export interface EngineHealth {
  /** Why nothing can be read. */
  readonly unreadable?: string;
  /** Why nothing can be written. */
  readonly unwritable?: string;
}

export interface EngineStats {
  readonly sequence: number;
  readonly commits: number;
  /** Writes that were committed; divided by `commits`, the mean batch size. */
  readonly writes: number;
  /** How many commits had up to 1, 2, 4, 8, … writes. */
  readonly batchSizes: readonly number[];
  readonly commitSeconds: number;
  readonly openSnapshots: number;
  readonly fileBytes: number;
}
