// The history and expiry settings of a region: the part of its definition that can be altered.

/** Bounds of a region's history: states beyond either of them are trimmed. */
export interface HistoryBounds {
  /** Age since they were overwritten or removed; null for any age. */
  readonly ageMs: number | null;
  /** Number of changes whose previous state is kept; null for any number. */
  readonly count: number | null;
}

export interface RegionSettings {
  /** No history when absent. */
  readonly history?: HistoryBounds;
  /** Default time to live of an entry; unlimited when absent. */
  readonly entryTtlMs?: number;
  /** Maximum time to live of an entry; unlimited when absent. */
  readonly maxTtlMs?: number;
}

/** Members that are absent stay as they are; null removes one. */
export type RegionAlteration = {
  readonly [Name in keyof RegionSettings]?: RegionSettings[Name] | null | undefined;
};
