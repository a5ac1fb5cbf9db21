// Defaults of limits that are settings of the service, and that its parts also have when they are
// used without settings: an engine opened by a command, or the text of an index.

export const DEFAULT_MAX_CHANGES = 1_000_000;
export const DEFAULT_MAX_CHANGE_AGE_MS: number = 24 * 60 * 60 * 1000;
export const DEFAULT_MAX_SNAPSHOTS = 12;

/** Characters of the text of a query. */
export const DEFAULT_MAX_TEXT_LENGTH: number = 64 * 1024;
export const DEFAULT_MAX_NESTING = 200;
export const DEFAULT_MAX_PLACEHOLDERS = 255;
