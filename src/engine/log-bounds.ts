// How much of the change log an engine keeps when its opener does not say. The settings
// `changes.…` have the same defaults; a test of `app` compares them.

export const DEFAULT_MAX_CHANGES = 1_000_000;
export const DEFAULT_MAX_CHANGE_AGE_MS: number = 24 * 60 * 60 * 1000;
