// The whole route table on one screen. 405 and Allow, HEAD, OPTIONS and the
// OpenAPI document come from it; `operation` names the description in
// openapi/operations.ts, which does not compile without one; `needs` is what
// auth/access-rules.ts asks of whoever sends the request.

import type { Access } from './auth/access-rules.ts';
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
import {
  readDocsFile,
  readDocsPage,
  readOpenApi,
  redirectToDocs,
} from './handlers/documentation.ts';
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
  /** Who may ask, when authentication is on; there is no default. */
  readonly needs: Access;
}

// biome-ignore format: a table reads best as one
export const routes: readonly ApiRoute[] = [
  // Specification
  { method: 'GET',    path: '/grid-api/v1',                   operation: 'listRegions',   needs: 'list-regions',        handle: listRegions },                              // 4.1
  { method: 'GET',    path: '/grid-api/v1/{region}',          operation: 'readRegion',    needs: 'read-region-or-keys', handle: readRegion },                               // 4.2
  { method: 'HEAD',   path: '/grid-api/v1/{region}',          operation: 'countRegion',   needs: 'read-region',         handle: countRegion },                              // 4.3
  { method: 'GET',    path: '/grid-api/v1/{region}/keys',     operation: 'listKeys',      needs: 'read-region',         handle: listKeys, head: 'never' },                  // 4.4
  { method: 'GET',    path: '/grid-api/v1/{region}/{keys}',   operation: 'readEntries',   needs: 'read-keys',           handle: readEntries },                              // 4.5
  { method: 'PUT',    path: '/grid-api/v1/{region}/{keys}',   operation: 'putEntries',    needs: 'write-keys',          handle: putEntries },                               // 4.6
  { method: 'GET',    path: '/grid-api/v1/queries',           operation: 'listQueries',   needs: 'list-queries',        handle: listQueries },                              // 4.7
  { method: 'POST',   path: '/grid-api/v1/queries/{queryId}', operation: 'runNamedQuery', needs: 'run-query',           handle: runNamedQuery, produces: ['text/plain'] },  // 4.8
  { method: 'PUT',    path: '/grid-api/v1/queries/{queryId}', operation: 'updateQuery',   needs: 'manage-queries',      handle: updateQuery },                              // 4.9
  { method: 'DELETE', path: '/grid-api/v1/queries/{queryId}', operation: 'deleteQuery',   needs: 'manage-queries',      handle: deleteQuery },                              // 4.10
  { method: 'GET',    path: '/grid-api/v1/servers',           operation: 'listServers',   needs: 'login',               handle: listServers },                              // 4.11
  { method: 'GET',    path: '/grid-api/v1/ping',              operation: 'ping',          needs: 'login',               handle: ping, always: true },                       // 4.12
  // Gaps of the specification
  { method: 'POST',   path: '/grid-api/v1/{region}',          operation: 'postEntry',         needs: 'add-entry',            handle: postEntry },
  { method: 'PUT',    path: '/grid-api/v1/{region}',          operation: 'putEntriesByQuery', needs: 'write-keys',           handle: putEntries },
  { method: 'DELETE', path: '/grid-api/v1/{region}',          operation: 'clearRegion',       needs: 'write-region-or-keys', handle: clearRegion },
  { method: 'DELETE', path: '/grid-api/v1/{region}/{keys}',   operation: 'deleteEntries',     needs: 'write-keys',           handle: deleteEntries },
  { method: 'POST',   path: '/grid-api/v1/queries',           operation: 'createQuery',       needs: 'manage-queries',       handle: createQuery },
  { method: 'GET',    path: '/grid-api/v1/queries/{queryId}', operation: 'readQuery',         needs: 'read-query',           handle: readQuery },
  { method: 'GET',    path: '/grid-api/v1/queries/adhoc',     operation: 'runAdhocQuery',     needs: 'run-adhoc-query',      handle: runAdhocQuery, produces: ['text/plain'] },
  { method: 'POST',   path: '/grid-api/v1/queries/adhoc',     operation: 'postAdhocQuery',    needs: 'run-adhoc-query',      handle: postAdhocQuery, produces: ['text/plain'] },
  // Management plane
  { method: 'POST',   path: '/grid-admin/v1/regions',                        operation: 'createRegion',       needs: 'manage-cluster', handle: createRegion },
  { method: 'GET',    path: '/grid-admin/v1/regions',                        operation: 'describeRegions',    needs: 'read-cluster',   handle: describeRegions },
  { method: 'GET',    path: '/grid-admin/v1/regions/{name}',                 operation: 'describeRegion',     needs: 'read-cluster',   handle: describeRegion },
  { method: 'DELETE', path: '/grid-admin/v1/regions/{name}',                 operation: 'destroyRegion',      needs: 'manage-cluster', handle: destroyRegion },
  { method: 'POST',   path: '/grid-admin/v1/regions/{name}/indexes',         operation: 'createIndex',        needs: 'manage-cluster', handle: createIndex },
  { method: 'GET',    path: '/grid-admin/v1/regions/{name}/indexes',         operation: 'listIndexes',        needs: 'read-cluster',   handle: listIndexes },
  { method: 'GET',    path: '/grid-admin/v1/regions/{name}/indexes/{index}', operation: 'describeIndex',      needs: 'read-cluster',   handle: describeIndex },
  { method: 'DELETE', path: '/grid-admin/v1/regions/{name}/indexes/{index}', operation: 'dropIndex',          needs: 'manage-cluster', handle: dropIndex },
  { method: 'GET',    path: '/grid-admin/v1/queries/running',                operation: 'listRunningQueries', needs: 'manage-queries', handle: listRunningQueries },
  { method: 'DELETE', path: '/grid-admin/v1/queries/running/{id}',           operation: 'cancelQuery',        needs: 'manage-queries', handle: cancelQuery },
  { method: 'GET',    path: '/grid-admin/v1/config',                         operation: 'readConfig',         needs: 'read-cluster',   handle: readConfig },
  { method: 'GET',    path: '/grid-admin/v1/stats',                          operation: 'readStats',          needs: 'read-cluster',   handle: readStats },
  // Health and documentation
  { method: 'GET', path: '/livez',                    operation: 'livez',          needs: 'public',       handle: livez, always: true },
  { method: 'GET', path: '/readyz',                   operation: 'readyz',         needs: 'public',       handle: readyz, always: true },
  { method: 'GET', path: '/metrics',                  operation: 'metrics',        needs: 'read-cluster', handle: metrics, always: true, produces: ['text/plain'] },
  { method: 'GET', path: '/grid-api/v1/openapi.json', operation: 'readOpenApi',    needs: 'public',       handle: readOpenApi },
  { method: 'GET', path: '/',                         operation: 'redirectToDocs', needs: 'public',       handle: redirectToDocs, produces: ['text/html'] },
  { method: 'GET', path: '/docs',                     operation: 'readDocsPage',   needs: 'public',       handle: readDocsPage, produces: ['text/html'] },
  { method: 'GET', path: '/docs/{file}',              operation: 'readDocsFile',   needs: 'public',       handle: readDocsFile, produces: ['text/css', 'text/javascript'] },
];
