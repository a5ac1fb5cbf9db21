// The door of the client: the exports for programs that call the service.

export type { Parameter, Parameters, TypedParameter } from './bind-parameters.ts';
export type { BulkFailure, BulkItem, BulkSource, BulkSummary } from './bulk-client.ts';
export type {
  Change,
  ChangeFeedOptions,
  ChangeOperation,
  Commit,
} from './change-feed.ts';
export {
  BadAddressError,
  ClientError,
  ConflictError,
  CutShortError,
  GoneError,
  LoginError,
  NotFoundError,
  RefusedError,
  type TextPosition,
  UnavailableError,
  UnreachableError,
  VersionDiffersError,
} from './client-error.ts';
export { type Codec, exactObjects, objects, texts } from './codec.ts';
export type { Entry, KeyedValue, WriteOptions, Written } from './entry.ts';
export {
  type DescribedRegion,
  type FieldSchema,
  GridClient,
  type GridFeedOptions,
  type IndexDetails,
  type RegionDetails,
  type RegionIndex,
  type RegionSchema,
  type RegionSettings,
  type RegionShape,
} from './grid-client.ts';
export type { EntryVersion, ReadOptions, RestoreOptions } from './history.ts';
export { readElements } from './json-elements.ts';
export type { LiveDelta, LiveEvent, LiveOptions, LiveRow, RowId } from './live-query.ts';
export type { Login } from './login.ts';
export type { Patch, PatchOperation } from './patch.ts';
export type {
  NamedQuery,
  Plan,
  QueriesClient,
  Query,
  QueryResult,
  RowOptions,
  RunOptions,
  SaveOptions,
} from './query-client.ts';
export type { RegionClient } from './region-client.ts';
export type { Page, PageEntry, PageOptions } from './region-pages.ts';
export type {
  LoginDetails,
  QueryStatistics,
  RunningQuery,
  ServiceClient,
  ServiceSetting,
  SlowQuery,
} from './service-client.ts';
export type {
  TransactionAnswer,
  TransactionCondition,
  TransactionOptions,
  TransactionRequest,
  TransactionStep,
} from './transaction-client.ts';
export type { CallOptions, GridClientOptions, RepeatOptions } from './transport.ts';
