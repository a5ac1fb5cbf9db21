// Management plane: running queries, settings, statistics. Member names are words joined by
// hyphens, as everywhere in the API.

import { emptyResponse, jsonResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';

export const listRunningQueries: Handler<'list-running-queries'> = (
  _intent,
  _request,
  { grid },
) => {
  const queries = grid.listRunningQueries().map(({ elapsedMs, id, oql, queryId, state }) => ({
    id,
    oql,
    'query-id': queryId,
    state,
    'elapsed-ms': elapsedMs,
    server: grid.address,
  }));
  return jsonResponse(JSON.stringify({ queries }));
};

/** Of this server; times are in ISO 8601. */
export const readQueryStatistics: Handler<'read-query-statistics'> = (
  _intent,
  _request,
  { grid },
) => {
  const { named, slow } = grid.queryStatistics();
  const queries = named.map((query) => ({
    'query-id': query.queryId,
    calls: query.calls,
    failures: query.failures,
    'median-ms': roundMs(query.medianMs),
    'p99-ms': roundMs(query.p99Ms),
    'last-run': new Date(query.lastAt).toISOString(),
    'last-error': query.lastError && {
      code: query.lastError.code,
      time: new Date(query.lastError.at).toISOString(),
    },
  }));
  const slowest = slow.map(({ at, code, ms, oql, outcome, queryId, rows }) => ({
    oql,
    'query-id': queryId,
    ms: roundMs(ms),
    rows,
    outcome,
    code,
    time: new Date(at).toISOString(),
  }));
  return jsonResponse(JSON.stringify({ queries, slowest, server: grid.address }));
};

function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

export const cancelQuery: Handler<'cancel-query'> = ({ runningId }, _request, { grid }) => {
  grid.cancelQuery(runningId);
  return emptyResponse(200);
};

/** Lets a client such as the console hide actions that would be refused. */
export const readLogin: Handler<'read-login'> = (_intent, { principal }, { authentication }) =>
  jsonResponse(
    JSON.stringify({
      authentication,
      name: authentication === 'on' ? principal.name : null,
      permissions: principal.permissions.list(),
    }),
  );

export const readConfig: Handler<'read-config'> = (_intent, _request, { printConfig }) =>
  jsonResponse(printConfig());

export const readStats: Handler<'read-stats'> = (_intent, _request, { grid }) => {
  const stats = grid.stats();
  return jsonResponse(
    JSON.stringify({
      sequence: stats.sequence,
      commits: stats.commits,
      writes: stats.writes,
      'batch-sizes': stats.batchSizes,
      'commit-seconds': stats.commitSeconds,
      'open-snapshots': stats.openSnapshots,
      'file-bytes': stats.fileBytes,
      'running-queries': grid.countQueries('running'),
      'waiting-queries': grid.countQueries('waiting'),
    }),
  );
};
