// The door of the grid: what http and app may know of it.

export { EngineError, type EngineErrorCode } from '../engine/errors.ts';
export {
  type Explanation,
  OqlError,
  type OqlErrorCode,
  type ParameterRequest,
  printExplanation,
} from '../oql/index.ts';
export { GridError, type GridErrorCode } from './errors.ts';
export { Grid } from './grid.ts';
export type {
  EntryBatch,
  GridRegion,
  NewEntry,
  Precondition,
  RegionDescription,
  RegionScan,
  Soon,
  StoredEntry,
} from './grid-region.ts';
export type { GridLimits } from './limits.ts';
export { QUERIES_REGION } from './named-queries.ts';
export type { QueryRequest } from './query/query-runner.ts';
export { isReservedRegion, type RegionRequest } from './region-rules.ts';
