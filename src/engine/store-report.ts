// The findings of a check of a whole store.

export interface StoreReport extends ProblemList {
  readonly file: string;
  readonly fileBytes: number;
  /** The latest commit, as far as it could be read. */
  readonly sequence: number | undefined;
  readonly regions: readonly CheckedRegion[];
  readonly changeCount: number;
}

/** The text of the first problems, and the number of all. */
export interface ProblemList {
  readonly count: number;
  readonly shown: readonly string[];
}

export interface CheckedRegion {
  readonly name: string;
  readonly type: string;
  /** Counted by the check, as `valueBytes` is; the counters stored with the region may differ. */
  readonly entryCount: number;
  readonly valueBytes: number;
  readonly problemCount: number;
}
