// The whole route table on one screen. 405 and Allow, HEAD, OPTIONS and the
// OpenAPI document come from it; `operation` names the description in
// openapi/operations.ts, which does not compile without one.

import { createIndex, describeIndex, dropIndex, listIndexes } from './handlers/admin-indexes.ts';
import {
  createRegion,
  describeRegion,
  describeRegions,
  destroyRegion,
} from './handlers/admin-regions.ts';
import {
  cancelQuery,
  listRunningQueries,
  readConfig,
  readStats,
} from './handlers/admin-service.ts';
import { readOpenApi } from './handlers/documentation.ts';
import {
  clearRegion,
  deleteEntries,
  postEntry,
  putEntries,
  readEntries,
} from './handlers/entries.ts';
import { livez, metrics, readyz } from './handlers/health.ts';
import { listServers, ping } from './handlers/members.ts';
import {
  createQuery,
  deleteQuery,
  listQueries,
  readQuery,
  updateQuery,
} from './handlers/queries.ts';
import { countRegion, listKeys, listRegions, readRegion } from './handlers/regions.ts';
import { postAdhocQuery, runAdhocQuery, runNamedQuery } from './handlers/run-query.ts';
import type { Operation } from './openapi/operations.ts';
import type { Route } from './router.ts';

export interface ApiRoute extends Route {
  readonly operation: Operation;
}

// biome-ignore format: a table reads best as one
export const routes: readonly ApiRoute[] = [
  // Specification
  { method: 'GET',    path: '/grid-api/v1',                   operation: 'listRegions',   handle: listRegions },                  // 4.1
  { method: 'GET',    path: '/grid-api/v1/{region}',          operation: 'readRegion',    handle: readRegion },                   // 4.2
  { method: 'HEAD',   path: '/grid-api/v1/{region}',          operation: 'countRegion',   handle: countRegion },                  // 4.3
  { method: 'GET',    path: '/grid-api/v1/{region}/keys',     operation: 'listKeys',      handle: listKeys, head: 'never' },      // 4.4
  { method: 'GET',    path: '/grid-api/v1/{region}/{keys}',   operation: 'readEntries',   handle: readEntries },                  // 4.5
  { method: 'PUT',    path: '/grid-api/v1/{region}/{keys}',   operation: 'putEntries',    handle: putEntries },                   // 4.6
  { method: 'GET',    path: '/grid-api/v1/queries',           operation: 'listQueries',   handle: listQueries },                  // 4.7
  { method: 'POST',   path: '/grid-api/v1/queries/{queryId}', operation: 'runNamedQuery', handle: runNamedQuery },                // 4.8
  { method: 'PUT',    path: '/grid-api/v1/queries/{queryId}', operation: 'updateQuery',   handle: updateQuery },                  // 4.9
  { method: 'DELETE', path: '/grid-api/v1/queries/{queryId}', operation: 'deleteQuery',   handle: deleteQuery },                  // 4.10
  { method: 'GET',    path: '/grid-api/v1/servers',           operation: 'listServers',   handle: listServers },                  // 4.11
  { method: 'GET',    path: '/grid-api/v1/ping',              operation: 'ping',          handle: ping, always: true },           // 4.12
  // Gaps of the specification
  { method: 'POST',   path: '/grid-api/v1/{region}',          operation: 'postEntry',     handle: postEntry },
  { method: 'PUT',    path: '/grid-api/v1/{region}',          operation: 'putEntriesByQuery', handle: putEntries },
  { method: 'DELETE', path: '/grid-api/v1/{region}',          operation: 'clearRegion',   handle: clearRegion },
  { method: 'DELETE', path: '/grid-api/v1/{region}/{keys}',   operation: 'deleteEntries', handle: deleteEntries },
  { method: 'POST',   path: '/grid-api/v1/queries',           operation: 'createQuery',   handle: createQuery },
  { method: 'GET',    path: '/grid-api/v1/queries/{queryId}', operation: 'readQuery',     handle: readQuery },
  { method: 'GET',    path: '/grid-api/v1/queries/adhoc',     operation: 'runAdhocQuery', handle: runAdhocQuery },
  { method: 'POST',   path: '/grid-api/v1/queries/adhoc',     operation: 'postAdhocQuery', handle: postAdhocQuery },
  // Management plane
  { method: 'POST',   path: '/grid-admin/v1/regions',                          operation: 'createRegion',       handle: createRegion },
  { method: 'GET',    path: '/grid-admin/v1/regions',                          operation: 'describeRegions',    handle: describeRegions },
  { method: 'GET',    path: '/grid-admin/v1/regions/{name}',                   operation: 'describeRegion',     handle: describeRegion },
  { method: 'DELETE', path: '/grid-admin/v1/regions/{name}',                   operation: 'destroyRegion',      handle: destroyRegion },
  { method: 'POST',   path: '/grid-admin/v1/regions/{name}/indexes',           operation: 'createIndex',        handle: createIndex },
  { method: 'GET',    path: '/grid-admin/v1/regions/{name}/indexes',           operation: 'listIndexes',        handle: listIndexes },
  { method: 'GET',    path: '/grid-admin/v1/regions/{name}/indexes/{index}',   operation: 'describeIndex',      handle: describeIndex },
  { method: 'DELETE', path: '/grid-admin/v1/regions/{name}/indexes/{index}',   operation: 'dropIndex',          handle: dropIndex },
  { method: 'GET',    path: '/grid-admin/v1/queries/running',                  operation: 'listRunningQueries', handle: listRunningQueries },
  { method: 'DELETE', path: '/grid-admin/v1/queries/running/{id}',             operation: 'cancelQuery',        handle: cancelQuery },
  { method: 'GET',    path: '/grid-admin/v1/config',                           operation: 'readConfig',         handle: readConfig },
  { method: 'GET',    path: '/grid-admin/v1/stats',                            operation: 'readStats',          handle: readStats },
  // Health and documentation
  { method: 'GET',    path: '/livez',                         operation: 'livez',         handle: livez, always: true },
  { method: 'GET',    path: '/readyz',                        operation: 'readyz',        handle: readyz, always: true },
  { method: 'GET',    path: '/metrics',                       operation: 'metrics',       handle: metrics, always: true, produces: ['text/plain'] },
  { method: 'GET',    path: '/grid-api/v1/openapi.json',      operation: 'readOpenApi',   handle: readOpenApi },
];
