// The whole route table on one screen. 405 and Allow, HEAD, OPTIONS and the OpenAPI document come
// from it. `parse` turns a request into its intent (intent/intent.ts); handlers/handlers.ts has the
// permission and the handler of every intent. `operation` names the description in
// openapi/operations.ts.

import type { DialectRoute } from './dialects/dialect.ts';
import { type DialectName, routesOfDialects } from './dialects/dialects.ts';
import type { FunctionIntent, GuardedIntent, PublicIntent } from './intent/intent.ts';
import { parseReadChanges, parseReadRegionChanges } from './intent/parse-changes.ts';
import {
  parseAddEntry,
  parseBulk,
  parseCountRegion,
  parseDeleteEntries,
  parseListKeys,
  parsePatchEntry,
  parsePutEntries,
  parseReadEntries,
  parseReadRegion,
  parseTransact,
} from './intent/parse-entries.ts';
import { parseListVersions, parseRestoreEntry } from './intent/parse-history.ts';
import {
  parseFollowAdhocQuery,
  parseFollowNamedQuery,
  parsePostLiveQuery,
} from './intent/parse-live.ts';
import {
  parseCreateQuery,
  parseDeleteQuery,
  parsePostAdhocQuery,
  parseQueryAdhoc,
  parseQueryNamed,
  parseRunAdhocQuery,
  parseRunNamedQuery,
  parseUpdateQuery,
} from './intent/parse-queries.ts';
import {
  fixed,
  ofPath,
  parseReadConsoleAsset,
  parseReadConsolePage,
  parseReadDocsFile,
  parseReadDocsPage,
  parseReadSchema,
} from './intent/parse-service.ts';
import type { Parse } from './request/routed-request.ts';
import { CSV_TYPE, NDJSON_TYPE, PLAN_TYPE, TEXT_TYPE } from './response/media-types.ts';
import type { Route } from './router.ts';
import { STREAM_TYPES } from './streams/stream-form.ts';

/** `public`: no login. `guarded`: a login, and the permission of the intent; there is no default. */
type Parsing =
  | { readonly access: 'public'; readonly parse: Parse<PublicIntent> }
  | { readonly access: 'guarded'; readonly parse: Parse<Exclude<GuardedIntent, FunctionIntent>> };

export type OwnRoute = Route & Parsing & { readonly operation: string };

export type ApiRoute = OwnRoute | DialectRoute;

/** All routes: the table below, and those of the dialects (dialects/geode/geode-routes.ts). */
export function routesWith(dialects: readonly DialectName[]): readonly ApiRoute[] {
  return [...routes, ...routesOfDialects(dialects)];
}

/** One value, entry or key a line. */
const LINE_TYPES = [NDJSON_TYPE];
/** Streams of events, in either form. */
const EVENT_TYPES = Object.values(STREAM_TYPES);

/** Queries answer with plans too. */
const QUERY_TYPES = [NDJSON_TYPE, CSV_TYPE, PLAN_TYPE, TEXT_TYPE];

// biome-ignore format: a table reads best as one
export const routes: readonly OwnRoute[] = [
  // Specification
  { method: 'GET',    path: '/grid-api/v1',                                   operation: 'listRegions',         access: 'guarded', parse: fixed({ kind: 'list-regions' }) },                             // 4.1
  { method: 'GET',    path: '/grid-api/v1/{region}',                          operation: 'readRegion',          access: 'guarded', parse: parseReadRegion, produces: LINE_TYPES },                       // 4.2
  { method: 'HEAD',   path: '/grid-api/v1/{region}',                          operation: 'countRegion',         access: 'guarded', parse: parseCountRegion, produces: LINE_TYPES },                      // 4.3
  { method: 'GET',    path: '/grid-api/v1/{region}/keys',                     operation: 'listKeys',            access: 'guarded', parse: parseListKeys, head: 'never', produces: LINE_TYPES },          // 4.4
  { method: 'GET',    path: '/grid-api/v1/{region}/{keys}',                   operation: 'readEntries',         access: 'guarded', parse: parseReadEntries },                                            // 4.5
  { method: 'PUT',    path: '/grid-api/v1/{region}/{keys}',                   operation: 'putEntries',          access: 'guarded', parse: parsePutEntries },                                             // 4.6
  { method: 'GET',    path: '/grid-api/v1/queries',                           operation: 'listQueries',         access: 'guarded', parse: fixed({ kind: 'list-queries' }) },                             // 4.7
  { method: 'POST',   path: '/grid-api/v1/queries/{queryId}',                 operation: 'runNamedQuery',       access: 'guarded', parse: parseRunNamedQuery, produces: QUERY_TYPES },                // 4.8
  { method: 'PUT',    path: '/grid-api/v1/queries/{queryId}',                 operation: 'updateQuery',         access: 'guarded', parse: parseUpdateQuery },                                            // 4.9
  { method: 'DELETE', path: '/grid-api/v1/queries/{queryId}',                 operation: 'deleteQuery',         access: 'guarded', parse: parseDeleteQuery },                                            // 4.10
  { method: 'GET',    path: '/grid-api/v1/servers',                           operation: 'listServers',         access: 'guarded', parse: fixed({ kind: 'list-servers' }) },                             // 4.11
  { method: 'GET',    path: '/grid-api/v1/ping',                              operation: 'ping',                access: 'guarded', parse: fixed({ kind: 'ping' }), always: true },                       // 4.12
  // Gaps of the specification
  { method: 'POST',   path: '/grid-api/v1/{region}',                          operation: 'postEntry',           access: 'guarded', parse: parseAddEntry },
  { method: 'PUT',    path: '/grid-api/v1/{region}',                          operation: 'putEntriesByQuery',   access: 'guarded', parse: parsePutEntries },
  { method: 'DELETE', path: '/grid-api/v1/{region}',                          operation: 'clearRegion',         access: 'guarded', parse: parseDeleteEntries },
  { method: 'DELETE', path: '/grid-api/v1/{region}/{keys}',                   operation: 'deleteEntries',       access: 'guarded', parse: parseDeleteEntries },
  { method: 'PATCH',  path: '/grid-api/v1/{region}/{keys}',                   operation: 'patchEntry',          access: 'guarded', parse: parsePatchEntry },
  { method: 'PATCH',  path: '/grid-api/v1/{region}',                          operation: 'patchEntryByQuery',   access: 'guarded', parse: parsePatchEntry },
  { method: 'GET',    path: '/grid-api/v1/{region}/_history/{key}',           operation: 'listVersions',        access: 'guarded', parse: parseListVersions },
  { method: 'POST',   path: '/grid-api/v1/{region}/_history/{key}',           operation: 'restoreEntry',        access: 'guarded', parse: parseRestoreEntry },
  { method: 'POST',   path: '/grid-api/v1/queries',                           operation: 'createQuery',         access: 'guarded', parse: parseCreateQuery },
  { method: 'GET',    path: '/grid-api/v1/queries/{queryId}',                 operation: 'readQuery',           access: 'guarded', parse: ofPath('read-query', 'queryId') },
  { method: 'GET',    path: '/grid-api/v1/queries/adhoc',                     operation: 'runAdhocQuery',       access: 'guarded', parse: parseRunAdhocQuery, produces: QUERY_TYPES },
  { method: 'QUERY',  path: '/grid-api/v1/queries',                           operation: 'queryAdhoc',          access: 'guarded', parse: parseQueryAdhoc, produces: QUERY_TYPES },
  { method: 'QUERY',  path: '/grid-api/v1/queries/{queryId}',                 operation: 'queryNamed',          access: 'guarded', parse: parseQueryNamed, produces: QUERY_TYPES },
  { method: 'POST',   path: '/grid-api/v1/queries/adhoc',                     operation: 'postAdhocQuery',      access: 'guarded', parse: parsePostAdhocQuery, produces: QUERY_TYPES },
  { method: 'POST',   path: '/grid-api/v1/{region}/_bulk',                    operation: 'bulk',                access: 'guarded', parse: parseBulk, produces: [NDJSON_TYPE] },
  { method: 'POST',   path: '/grid-api/v1/_tx',                               operation: 'transact',            access: 'guarded', parse: parseTransact },
  { method: 'GET',    path: '/grid-api/v1/queries/{queryId}/_live',           operation: 'followNamedQuery',    access: 'guarded', parse: parseFollowNamedQuery, produces: EVENT_TYPES, head: 'never' },
  { method: 'GET',    path: '/grid-api/v1/queries/adhoc/_live',               operation: 'followAdhocQuery',    access: 'guarded', parse: parseFollowAdhocQuery, produces: EVENT_TYPES, head: 'never' },
  { method: 'POST',   path: '/grid-api/v1/queries/adhoc/_live',               operation: 'postLiveQuery',       access: 'guarded', parse: parsePostLiveQuery, produces: EVENT_TYPES },
  // Changes
  { method: 'GET',    path: '/grid-api/v1/_changes',                          operation: 'readChanges',         access: 'guarded', parse: parseReadChanges, produces: EVENT_TYPES },
  { method: 'GET',    path: '/grid-api/v1/{region}/_changes',                 operation: 'readRegionChanges',   access: 'guarded', parse: parseReadRegionChanges, produces: EVENT_TYPES },
  // Management plane
  { method: 'POST',   path: '/grid-admin/v1/regions',                         operation: 'createRegion',        access: 'guarded', parse: fixed({ kind: 'create-region' }) },
  { method: 'GET',    path: '/grid-admin/v1/regions',                         operation: 'describeRegions',     access: 'guarded', parse: fixed({ kind: 'describe-regions' }) },
  { method: 'GET',    path: '/grid-admin/v1/regions/{name}',                  operation: 'describeRegion',      access: 'guarded', parse: ofPath('describe-region', 'region') },
  { method: 'PATCH',  path: '/grid-admin/v1/regions/{name}',                  operation: 'alterRegion',         access: 'guarded', parse: ofPath('alter-region', 'region') },
  { method: 'DELETE', path: '/grid-admin/v1/regions/{name}',                  operation: 'destroyRegion',       access: 'guarded', parse: ofPath('destroy-region', 'region') },
  { method: 'GET',    path: '/grid-admin/v1/regions/{name}/schema',           operation: 'readSchema',          access: 'guarded', parse: parseReadSchema },
  { method: 'POST',   path: '/grid-admin/v1/regions/{name}/indexes',          operation: 'createIndex',         access: 'guarded', parse: ofPath('create-index', 'region') },
  { method: 'GET',    path: '/grid-admin/v1/regions/{name}/indexes',          operation: 'listIndexes',         access: 'guarded', parse: ofPath('list-indexes', 'region') },
  { method: 'GET',    path: '/grid-admin/v1/regions/{name}/indexes/{index}',  operation: 'describeIndex',       access: 'guarded', parse: ofPath('describe-index', 'region', 'index') },
  { method: 'DELETE', path: '/grid-admin/v1/regions/{name}/indexes/{index}',  operation: 'dropIndex',           access: 'guarded', parse: ofPath('drop-index', 'region', 'index') },
  { method: 'GET',    path: '/grid-admin/v1/queries/running',                 operation: 'listRunningQueries',  access: 'guarded', parse: fixed({ kind: 'list-running-queries' }) },
  { method: 'GET',    path: '/grid-admin/v1/queries/statistics',              operation: 'readQueryStatistics', access: 'guarded', parse: fixed({ kind: 'read-query-statistics' }) },
  { method: 'DELETE', path: '/grid-admin/v1/queries/running/{id}',            operation: 'cancelQuery',         access: 'guarded', parse: ofPath('cancel-query', 'runningId') },
  { method: 'GET',    path: '/grid-admin/v1/config',                          operation: 'readConfig',          access: 'guarded', parse: fixed({ kind: 'read-config' }) },
  { method: 'GET',    path: '/grid-admin/v1/stats',                           operation: 'readStats',           access: 'guarded', parse: fixed({ kind: 'read-stats' }) },
  { method: 'GET',    path: '/grid-admin/v1/login',                           operation: 'readLogin',           access: 'guarded', parse: fixed({ kind: 'read-login' }) },
  // Health, console and documentation
  { method: 'GET',    path: '/livez',                                         operation: 'livez',               access: 'public',  parse: fixed({ kind: 'live' }), always: true },
  { method: 'GET',    path: '/readyz',                                        operation: 'readyz',              access: 'public',  parse: fixed({ kind: 'ready' }), always: true },
  { method: 'GET',    path: '/metrics',                                       operation: 'metrics',             access: 'guarded', parse: fixed({ kind: 'read-metrics' }), always: true, produces: ['text/plain'] },
  { method: 'GET',    path: '/grid-api/v1/openapi.json',                      operation: 'readOpenApi',         access: 'public',  parse: fixed({ kind: 'read-openapi' }) },
  { method: 'GET',    path: '/',                                              operation: 'redirectToConsole',   access: 'public',  parse: fixed({ kind: 'redirect-to-page', location: 'console/' }), produces: ['text/html'] },
  { method: 'GET',    path: '/console',                                       operation: 'readConsolePage',     access: 'public',  parse: parseReadConsolePage, produces: ['text/html'] },
  { method: 'GET',    path: '/console/assets/{asset}',                        operation: 'readConsoleAsset',    access: 'public',  parse: parseReadConsoleAsset, produces: ['text/css', 'text/javascript', 'image/svg+xml'] },
  { method: 'GET',    path: '/docs',                                          operation: 'readDocsPage',        access: 'public',  parse: parseReadDocsPage, produces: ['text/html'] },
  { method: 'GET',    path: '/docs/{file}',                                   operation: 'readDocsFile',        access: 'public',  parse: parseReadDocsFile, produces: ['text/css', 'text/javascript'] },
];
