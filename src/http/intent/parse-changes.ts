// The parameters of a change feed.

import type { ChangeOperation, FeedStart, FeedValues } from '../../grid/index.ts';
import { parseRfc3339 } from '../../value/iso-date.ts';
import { badOperation, badParameter } from '../errors.ts';
import { requireForm } from '../request/accept.ts';
import { parseSequence } from '../request/commit-number.ts';
import { decodePart } from '../request/decode-part.ts';
import { keysOfQuery } from '../request/keys.ts';
import {
  CHANGES,
  parseHeartbeatMs,
  parseLastEventId,
  parseOqlText,
  parseSeconds,
  parseWhole,
  WAIT,
} from '../request/parameters.ts';
import type { QueryString } from '../request/query-string.ts';
import {
  type KeyLimits,
  nameOfSegment,
  type Parse,
  type RoutedRequest,
} from '../request/routed-request.ts';
import { JSON_TYPE } from '../response/media-types.ts';
import { STREAM_TYPES } from '../streams/stream-form.ts';
import type { ReadChanges } from './intent.ts';

export const CHANGE_OPERATIONS: readonly ChangeOperation[] = [
  'put',
  'remove',
  'clear',
  'expire',
  'create-region',
  'destroy-region',
];

/** JSON where the client has no preference. */
const FEED_TYPES = { json: JSON_TYPE, ...STREAM_TYPES };

/** Changes of the regions that `regions` names, or of all. */
export const parseReadChanges: Parse<ReadChanges> = (request, limits) =>
  toReadChanges(request, limits, parseRegions(request.query));

export const parseReadRegionChanges: Parse<ReadChanges> = (request, limits) =>
  toReadChanges(request, limits, [nameOfSegment(request, 0)]);

function toReadChanges(
  request: RoutedRequest,
  limits: KeyLimits,
  regions: readonly string[] | undefined,
): ReadChanges {
  const { headers, query } = request;
  return {
    kind: 'read-changes',
    regions,
    start: parseStart(query, headers['last-event-id']),
    form: requireForm(headers.accept, FEED_TYPES),
    waitMs: 1000 * parseSeconds(query, 'wait', WAIT),
    limit: parseWhole(query, 'limit', CHANGES),
    values: parseInclude(query),
    where: parseOqlText(query, 'where'),
    keys: keysOfQuery(query, limits.maxKeysPerRequest),
    prefix: query.text('prefix'),
    operations: parseOperations(query),
    heartbeatMs: parseHeartbeatMs(query),
    address: withoutSince(request),
  };
}

function parseRegions(query: QueryString): readonly string[] | undefined {
  const values = query.all('regions');
  if (values.length === 0) return undefined;
  // Names of regions have no comma.
  const names = values.flatMap((value) => decodePart(value).split(','));
  if (names.includes(''))
    throw badParameter('regions must be names of regions, with commas between');
  return [...new Set(names)];
}

/** `Last-Event-ID` is the client's actual position, so it takes precedence. */
function parseStart(query: QueryString, lastEventId: unknown): FeedStart {
  const lastSequence = parseLastEventId(lastEventId);
  if (lastSequence !== undefined) return { kind: 'sequence', sequence: lastSequence };
  const text = query.text('since') ?? 'now';
  if (text === 'now') return { kind: 'now' };
  const sequence = parseSequence(text);
  if (sequence === 0) return { kind: 'kept' };
  if (sequence !== undefined) return { kind: 'sequence', sequence };
  const atMs = parseRfc3339(text);
  if (atMs !== undefined) return { kind: 'time', atMs, text };
  throw badParameter(
    `since (${text}) must be a sequence number, now, or a time such as 2026-01-31T12:00:00Z`,
  );
}

/** `old` includes the value. */
function parseInclude(query: QueryString): FeedValues {
  const text = query.text('include') ?? 'value';
  if (text === 'none') return 'none';
  const words = text.split(',');
  if (!words.every((word) => word === 'value' || word === 'old')) {
    throw badParameter(`include (${text}) must be value, old, both with a comma between, or none`);
  }
  return words.includes('old') ? 'new-and-old' : 'new';
}

function parseOperations(query: QueryString): readonly ChangeOperation[] | undefined {
  const text = query.text('ops');
  if (text === undefined) return undefined;
  return text.split(',').map((word) => {
    const operation = CHANGE_OPERATIONS.find((name) => name === word);
    if (operation === undefined) throw badOperation('ops', word, CHANGE_OPERATIONS);
    return operation;
  });
}

/** The parameters stay as they were written, except characters that a URI must not have. */
function withoutSince({ path, query }: RoutedRequest): string {
  const others = query.pairs().filter(([name]) => name !== 'since');
  const parameters = others.map(([name, value]) => {
    const legal = value.replaceAll(/["<>\\^`{|}]/g, encodeURIComponent);
    return `${encodeURIComponent(name)}=${legal}&`;
  });
  return `${path}?${parameters.join('')}`;
}
