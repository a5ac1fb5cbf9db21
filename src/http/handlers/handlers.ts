// Every intent with the permission that it needs and its handler. A new kind of intent does not
// compile without its row, so a new request cannot be open by accident.

import {
  type AccessRule,
  anyLogin,
  changesEntries,
  listsQueries,
  listsRegions,
  loadsRegion,
  needs,
  readsChanges,
  readsEntries,
  readsQuery,
  runsQuery,
  transacts,
  writesEntries,
} from '../auth/access-rules.ts';
import type { Principal } from '../auth/principal.ts';
import type {
  FunctionIntent,
  GuardedIntent,
  Intent,
  IntentKind,
  IntentOf,
  PublicIntent,
} from '../intent/intent.ts';
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

type IntentRow<K extends IntentKind> = (K extends PublicIntent['kind']
  ? unknown
  : { readonly access: AccessRule<IntentOf<K>> }) &
  (K extends FunctionIntent['kind'] ? unknown : { readonly handle: Handler<K> });

type OwnKind = Exclude<IntentKind, FunctionIntent['kind']>;

const RUN_ADHOC = needs('QUERY', 'RUN', 'adhoc');
const MANAGE_QUERIES = needs('QUERY', 'MANAGE');
const MANAGE_CLUSTER = needs('CLUSTER', 'MANAGE');
const READ_CLUSTER = needs('CLUSTER', 'READ');

// biome-ignore format: a table reads best as one
const INTENTS: { readonly [K in IntentKind]: IntentRow<K> } = {
  'list-regions':          { access: listsRegions,   handle: listRegions },
  'read-region':           { access: readsEntries,   handle: readRegion },
  'read-page':             { access: readsEntries,   handle: readPage },
  'count-region':          { access: readsEntries,   handle: countRegion },
  'list-keys':             { access: readsEntries,   handle: listKeys },
  'clear-region':          { access: writesEntries,  handle: clearRegion },
  'read-changes':          { access: readsChanges,   handle: readChanges },
  'read-entries':          { access: readsEntries,   handle: readEntries },
  'add-entry':             { access: writesEntries,  handle: addEntry },
  'write-entries':         { access: writesEntries,  handle: writeEntries },
  'patch-entry':           { access: changesEntries, handle: patchEntry },
  'remove-entries':        { access: writesEntries,  handle: removeEntries },
  'transact':              { access: transacts,      handle: transact },
  'list-versions':         { access: readsEntries,   handle: listVersions },
  'restore-entry':         { access: changesEntries, handle: restoreEntry },
  'bulk':                  { access: loadsRegion,    handle: bulk },
  'list-queries':          { access: listsQueries,   handle: listQueries },
  'read-query':            { access: readsQuery,     handle: readQuery },
  'create-query':          { access: MANAGE_QUERIES, handle: createQuery },
  'update-query':          { access: MANAGE_QUERIES, handle: updateQuery },
  'delete-query':          { access: MANAGE_QUERIES, handle: deleteQuery },
  'run-named-query':       { access: runsQuery,      handle: runNamedQuery },
  'run-adhoc-query':       { access: RUN_ADHOC,      handle: runAdhocQuery },
  'follow-named-query':    { access: runsQuery,      handle: followNamedQuery },
  'follow-adhoc-query':    { access: RUN_ADHOC,      handle: followAdhocQuery },
  'create-region':         { access: MANAGE_CLUSTER, handle: createRegion },
  'describe-regions':      { access: READ_CLUSTER,   handle: describeRegions },
  'describe-region':       { access: READ_CLUSTER,   handle: describeRegion },
  'read-schema':           { access: readsEntries,   handle: readSchema },
  'alter-region':          { access: MANAGE_CLUSTER, handle: alterRegion },
  'destroy-region':        { access: MANAGE_CLUSTER, handle: destroyRegion },
  'create-index':          { access: MANAGE_CLUSTER, handle: createIndex },
  'list-indexes':          { access: READ_CLUSTER,   handle: listIndexes },
  'describe-index':        { access: READ_CLUSTER,   handle: describeIndex },
  'drop-index':            { access: MANAGE_CLUSTER, handle: dropIndex },
  'list-running-queries':  { access: MANAGE_QUERIES, handle: listRunningQueries },
  'read-query-statistics': { access: MANAGE_QUERIES, handle: readQueryStatistics },
  'cancel-query':          { access: MANAGE_QUERIES, handle: cancelQuery },
  'read-config':           { access: READ_CLUSTER,   handle: readConfig },
  'read-stats':            { access: READ_CLUSTER,   handle: readStats },
  'read-metrics':          { access: READ_CLUSTER,   handle: readMetrics },
  'read-login':            { access: anyLogin,       handle: readLogin },
  'list-servers':          { access: anyLogin,       handle: listServers },
  'ping':                  { access: anyLogin,       handle: ping },
  // Only dialects have these, and answer them.
  'list-functions':        { access: anyLogin },
  'run-function':          { access: anyLogin },
  // Without a login.
  'live':                  { handle: live },
  'ready':                 { handle: ready },
  'read-openapi':          { handle: readOpenApi },
  'redirect-to-page':      { handle: redirectToPage },
  'read-file':             { handle: readFile },
};

/** Throws `auth/not-permitted`. */
export function authorise(intent: GuardedIntent, principal: Principal): void {
  // The table pairs every kind with a rule for that kind, which a union cannot express.
  (INTENTS[intent.kind].access as AccessRule<GuardedIntent>)(intent, principal);
}

/** Answers an intent by the handler of its kind. */
export function handleIntent(
  intent: Intent,
  request: ApiRequest,
  api: Api,
): Promise<ApiResponse> | ApiResponse {
  // As above, for handlers.
  const handle = INTENTS[intent.kind as OwnKind].handle as Handler<OwnKind>;
  return handle(intent as never, request, api);
}
