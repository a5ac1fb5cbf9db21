// Parameters common to all streams: heartbeat, and the position to resume from.

import { badParameter } from '../errors.ts';
import { parseSequence } from './commit-number.ts';
import { HEARTBEAT, parseSeconds } from './number-parameters.ts';
import type { QueryString } from './query-string.ts';

/** Milliseconds between heartbeats. */
export function parseHeartbeatMs(query: QueryString): number {
  return 1000 * parseSeconds(query, 'heartbeat', HEARTBEAT);
}

/** The id of the last event that the client received; undefined if there is none. */
export function parseLastEventId(header: unknown): number | undefined {
  if (typeof header !== 'string' || header === '') return undefined;
  const sequence = parseSequence(header);
  if (sequence !== undefined) return sequence;
  throw badParameter(`Last-Event-ID (${header}) must be the id of an event of this stream`);
}
