// Health probes and metrics.

import { notReady, shuttingDown, starting } from '../errors.ts';
import { jsonResponse, textResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** 200 while the process lives, also while it drains. */
export const live: Handler<'live'> = () => jsonResponse('{"status":"alive"}');

/** 200 while the service accepts requests and its store can be read and written. */
export const ready: Handler<'ready'> = (_intent, _request, { grid, status }) => {
  if (status.phase === 'draining') throw shuttingDown();
  if (status.phase === 'starting') throw starting();
  const { unreadable, unwritable } = grid.health();
  const reasons = [
    ...(unreadable === undefined ? [] : [`The store cannot be read: ${unreadable}`]),
    ...(unwritable === undefined ? [] : [`The store cannot be written: ${unwritable}`]),
  ];
  if (reasons.length > 0) throw notReady(reasons);
  return jsonResponse('{"status":"ready"}');
};

export const readMetrics: Handler<'read-metrics'> = async (_intent, _request, { printMetrics }) =>
  textResponse(METRICS_TYPE, await printMetrics());
