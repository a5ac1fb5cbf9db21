// Every intent with its handler. A new kind of intent does not compile without one.

import type { FunctionIntent, Intent } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { ApiResponse } from '../response/api-response.ts';
import { createIndex, describeIndex, dropIndex, listIndexes } from './admin-indexes.ts';
import {
  alterRegion,
  createRegion,
  describeRegion,
  describeRegions,
  destroyRegion,
  readSchema,
} from './admin-regions.ts';
import {
  cancelQuery,
  listRunningQueries,
  readConfig,
  readLogin,
  readQueryStatistics,
  readStats,
} from './admin-service.ts';
import { bulk } from './bulk.ts';
import { readChanges } from './changes.ts';
import { addEntry, readEntries, removeEntries, writeEntries } from './entries.ts';
import { readFile, readOpenApi, redirectToPage } from './files.ts';
import type { Api, Handler } from './handler.ts';
import { live, readMetrics, ready } from './health.ts';
import { listVersions, restoreEntry } from './history.ts';
import { followAdhocQuery, followNamedQuery } from './live-queries.ts';
import { listServers, ping } from './members.ts';
import { readPage } from './pages.ts';
import { patchEntry } from './patch-entry.ts';
import { createQuery, deleteQuery, listQueries, readQuery, updateQuery } from './queries.ts';
import { clearRegion, countRegion, listKeys, listRegions, readRegion } from './regions.ts';
import { runAdhocQuery, runNamedQuery } from './run-query.ts';
import { transact } from './transact.ts';

/** Every intent except those that only dialects have. */
type OwnIntent = Exclude<Intent, FunctionIntent>;
type OwnKind = OwnIntent['kind'];

type Handlers = { readonly [K in OwnKind]: Handler<K> };

const handlers: Handlers = {
  'list-regions': listRegions,
  'read-region': readRegion,
  'read-page': readPage,
  'count-region': countRegion,
  'list-keys': listKeys,
  'clear-region': clearRegion,
  'read-changes': readChanges,
  'read-entries': readEntries,
  'add-entry': addEntry,
  'write-entries': writeEntries,
  'patch-entry': patchEntry,
  'remove-entries': removeEntries,
  transact,
  'list-versions': listVersions,
  'restore-entry': restoreEntry,
  bulk,
  'list-queries': listQueries,
  'read-query': readQuery,
  'create-query': createQuery,
  'update-query': updateQuery,
  'delete-query': deleteQuery,
  'run-named-query': runNamedQuery,
  'run-adhoc-query': runAdhocQuery,
  'follow-named-query': followNamedQuery,
  'follow-adhoc-query': followAdhocQuery,
  'create-region': createRegion,
  'describe-regions': describeRegions,
  'describe-region': describeRegion,
  'read-schema': readSchema,
  'alter-region': alterRegion,
  'destroy-region': destroyRegion,
  'create-index': createIndex,
  'list-indexes': listIndexes,
  'describe-index': describeIndex,
  'drop-index': dropIndex,
  'list-running-queries': listRunningQueries,
  'read-query-statistics': readQueryStatistics,
  'cancel-query': cancelQuery,
  'read-config': readConfig,
  'read-stats': readStats,
  'read-login': readLogin,
  'list-servers': listServers,
  ping,
  live,
  ready,
  'read-metrics': readMetrics,
  'read-openapi': readOpenApi,
  'redirect-to-page': redirectToPage,
  'read-file': readFile,
};

/** Answers an intent by the handler of its kind. */
export function handleIntent(
  intent: Intent,
  request: ApiRequest,
  api: Api,
): Promise<ApiResponse> | ApiResponse {
  // The table pairs every kind with a handler of that kind, which a union cannot express.
  const handle = handlers[intent.kind as OwnKind] as Handler<OwnKind>;
  return handle(intent as never, request, api);
}
