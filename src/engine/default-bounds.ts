// The bounds of an engine that is opened without them. The settings `changes.…` and
// `store.max-snapshots` have the same defaults; a test of `app` compares them.

export const DEFAULT_MAX_CHANGES = 1_000_000;
export const DEFAULT_MAX_CHANGE_AGE_MS: number = 24 * 60 * 60 * 1000;
export const DEFAULT_MAX_SNAPSHOTS = 12;
