// Derives the limits of each part from the settings. Some limits depend on others, or on the memory
// of the machine.

import type { Config } from '../config/config.ts';
import { LONGEST_MS } from '../config/setting.ts';
import type { GridLimits } from '../grid/index.ts';
import { type RequestLimits, type ServerLimits, SlowBodies } from '../http/index.ts';
import { memoryBytes } from './memory-watch.ts';

export function toGridLimits({ columns, limits, live, query }: Config): GridLimits {
  return {
    maxKeyBytes: limits.keyBytes,
    maxValueBytes: limits.valueBytes,
    maxQueriesAtOnce: query.maxConcurrent,
    maxQueriesWaiting: query.maxWaiting,
    maxQueryWaitMs: query.maxWaitMs,
    maxRowsKept: query.maxRowsKept,
    maxQueryMs: query.maxExecutionTimeMs,
    columnBudgetBytes: columnBudgetBytes(columns.memoryBudgetBytes, memoryBytes()),
    maxOqlTextLength: limits.oqlTextLength,
    maxOqlNesting: limits.oqlNesting,
    maxOqlPlaceholders: limits.oqlPlaceholders,
    maxLiveQueries: live.maxQueries,
    maxLiveRows: live.maxRows,
    maxLiveBytes: live.memoryBudgetBytes,
    maxLiveRunMs: live.maxRunMs,
    liveIntervalMs: live.interval,
    keepAnswersMs: limits.idempotencyKeepMs,
  };
}

export function toRequestLimits({ limits }: Config): RequestLimits {
  return {
    maxBodyBytes: limits.bodyBytes,
    maxJsonDepth: limits.jsonDepth,
    maxKeysPerRequest: limits.keysPerRequest,
    maxUnpackedBytes: limits.bulkUnpackedBytes,
    maxAtomicItems: limits.bulkAtomicItems,
    slowBodies: new SlowBodies({
      minBytesPerSecond: limits.bodyBytesPerSecond,
      // A body must begin to arrive within the time that a head may take.
      graceMs: limits.headersTimeoutMs,
      sweepMs: limits.timeoutCheckIntervalMs,
      now: () => performance.now(),
    }),
  };
}

export function toServerLimits(config: Config): ServerLimits {
  const { feeds, limits } = config;
  return {
    // Node refuses a head that may take longer than its request.
    headersTimeoutMs: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeoutMs: limits.requestTimeoutMs,
    timeoutCheckMs: limits.timeoutCheckIntervalMs,
    keepAliveTimeoutMs: limits.keepAliveTimeoutMs,
    idleSocketMs: idleSocketMs(config),
    stalledClientMs: limits.stalledReaderTimeoutMs,
    minAnswerBytesPerSecond: limits.answerBytesPerSecond,
    maxAnswerMs: limits.answerTimeoutMs,
    maxStreams: limits.streams,
    maxStreamsPerClient: limits.streamsPerClient,
    maxOpenStreams: feeds.maxOpen,
    maxOpenStreamsPerLogin: feeds.maxOpenPerLogin,
    maxConnections: limits.connections,
    maxRequestsInFlight: limits.requestsInFlight,
    maxBodyBytesInFlight: bodyBytesInFlight(config),
    maxHeaderBytes: limits.headerBytes,
    maxHeaders: limits.headerCount,
    maxUrlBytes: limits.urlBytes,
  };
}

/**
 * Columns stay in memory after queries: without a bound they would leave no memory for the next
 * query, and all queries would be refused.
 */
export function columnBudgetBytes(wantedBytes: number, allowedBytes: number): number {
  return Math.min(wantedBytes, Math.floor(allowedBytes / 4));
}

/**
 * Each byte of a body takes several bytes until it is stored, so a sixteenth of the memory is
 * enough.
 */
function bodyBytesInFlight({ limits }: Config): number {
  return limits.bodyBytesInFlight || Math.max(limits.bodyBytes, Math.floor(memoryBytes() / 16));
}

/** A socket is silent while its query runs, so the limit is longer than that. */
function idleSocketMs({ limits, query }: Config): number {
  if (query.maxExecutionTimeMs === 0) return LONGEST_MS;
  return Math.max(limits.socketIdleTimeoutMs, query.maxExecutionTimeMs + 1_000);
}
