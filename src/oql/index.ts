// The door of the query language: text in, rows out. It reads data only through the ports
// `Catalog`, `QuerySource` and `ColumnSource`, which its caller implements.

export type { SourceColumn, SourceIndex, SourceLists } from '../value/column-data.ts';
export { bindCondition } from './bind/bind-condition.ts';
export { bindIndex, type MapKeys } from './bind/bind-index.ts';
export { bindQuery } from './bind/bind-query.ts';
export type { BoundQuery } from './bind/bound-query.ts';
export type { Catalog, CatalogRegion } from './bind/catalog.ts';
export { type IdentifiedQuery, identifyRows } from './bind/identify-rows.ts';
export { bindParameters, type ParameterRequest } from './bind/parameters.ts';
export { printBound } from './bind/print-bound.ts';
export { type ResultColumns, resultColumns } from './bind/result-columns.ts';
export type {
  ColumnSource,
  IndexFacts,
  SourceTable,
  TableRequest,
} from './columnar/column-source.ts';
export { lowMemory, OqlError, type OqlErrorCode, PROJECT_IT, queryCancelled } from './errors.ts';
export { executeQuery } from './execute/execute-query.ts';
export { explainQuery } from './execute/explain-query.ts';
export { findUnknownMembers, isCertainMistake } from './execute/find-unknown-members.ts';
export { describeIndexed, type KeySource } from './execute/indexed-value.ts';
export { findPointQuery, type PointQuery } from './execute/point-query.ts';
export { type Explanation, printExplanation } from './plan/explain.ts';
export { findPointRows, isIndexLookup } from './plan/point-lookup.ts';
export { EntryRows } from './reference/entry-rows.ts';
export { type FilteredEntries, filterEntries } from './reference/filter-entries.ts';
export { compileIndexedValues, type IndexedValues } from './reference/indexed-values.ts';
export type { QuerySource, SourceEntry, SourceRegion } from './reference/query-source.ts';
export type { RunContext, TimeSlice } from './reference/run-context.ts';
export { compileValueCondition, type ValueCondition } from './reference/value-condition.ts';
export { parseQuery } from './syntax/parse-query.ts';
export type { ParseLimits } from './syntax/parser.ts';
export { printRegionPath } from './syntax/region-path.ts';
export { findTextPattern } from './syntax/text-pattern.ts';
