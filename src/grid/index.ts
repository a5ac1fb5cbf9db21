// The door of the grid: the exports for http and app.

export type { RegionWrite } from '../engine/engine.ts';
export { EngineError, type EngineErrorCode } from '../engine/errors.ts';
export {
  type Explanation,
  OqlError,
  type OqlErrorCode,
  type ParameterRequest,
  PROJECT_IT,
  printExplanation,
  type ResultColumns,
} from '../oql/index.ts';
export { andThen } from './and-then.ts';
export type { BulkLoad } from './bulk-load.ts';
export type { ChangeFeed, ChangeOperation, FeedChange, FeedValues } from './changes/change-feed.ts';
export type { FeedStart } from './changes/change-feeds.ts';
export type { EntryOperation } from './entry-operation.ts';
export { AnswerStoredError, GridError, type GridErrorCode, type SameValue } from './errors.ts';
export {
  EXPIRY_REGION,
  expiryKey,
  type NewEntry,
  parseExpiry,
  parseExpiryKey,
} from './expiry-records.ts';
export type { PagedRegion } from './first-page.ts';
export { Grid } from './grid.ts';
export type {
  FirstEntries,
  GridRegion,
  JoinedValues,
  MaybePromise,
  RegionDescription,
  StoredEntry,
} from './grid-region.ts';
export type { EntryVersion, Moment } from './history.ts';
export type { GridLimits } from './limits.ts';
export type { LiveEvent } from './live/live-event.ts';
export { QUERIES_REGION } from './named-queries.ts';
export type { Precondition } from './precondition.ts';
export type { BegunQuery, QueryRequest } from './query/query-runner.ts';
export {
  MAX_FILTERED_PAGE,
  type PageEntry,
  type PageValues,
  type RegionPage,
} from './region-page.ts';
export { isReservedRegion, type NewRegion } from './region-rules.ts';
export type { RegionScan } from './region-scan.ts';
export { printSettings, type SettingsRequest } from './region-settings.ts';
export type {
  TransactionCondition,
  TransactionOperation,
  TransactionResult,
} from './transaction.ts';
export { cannotBeUnique, notUnique } from './unique/errors.ts';
export { showIndexes } from './unique/unique-indexes.ts';
export { isRecordsRegion } from './unique/unique-records.ts';
