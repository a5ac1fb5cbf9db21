// The data plane of the specification: regions and their entries.

import {
  badKeys,
  badParameter,
  RequestError,
  unsupportedBodyType,
  unsupportedMediaType,
} from '../errors.ts';
import { preferredType, requireType } from '../request/accept.ts';
import { ACCEPT_PATCH, mediaTypeOf, PATCH_TYPES } from '../request/body-types.ts';
import { parseIdempotencyKey, refuseIdempotencyKey } from '../request/idempotency-key.ts';
import { keysOfQuery, keysOfSegment } from '../request/keys.ts';
import { findPageParameters, refusePageParameters } from '../request/page-parameters.ts';
import {
  DEFAULT_LIMIT,
  parseFlag,
  parseLimit,
  parseMoment,
  parseOperation,
  parseTtl,
} from '../request/parameters.ts';
import { parsePreconditions } from '../request/preconditions.ts';
import { prefers } from '../request/prefer.ts';
import type { QueryString } from '../request/query-string.ts';
import {
  type KeyLimits,
  nameOfSegment,
  type Parse,
  type RoutedRequest,
} from '../request/routed-request.ts';
import { JSON_TYPE, NDJSON_TYPE } from '../response/media-types.ts';
import type {
  AddEntry,
  Bulk,
  CountRegion,
  IntentOf,
  PatchEntry,
  ReadEntries,
  ReadPage,
  ReadRegion,
  RemoveEntries,
  Transact,
  WriteEntries,
} from './intent.ts';

/** Spec 4.2; with `?keys=`, spec 4.5; with page parameters, a page. */
export const parseReadRegion: Parse<ReadRegion | ReadPage | ReadEntries> = (request, limits) => {
  const entries = findEntriesRead(request, limits);
  if (entries !== undefined) return entries;
  const region = nameOfSegment(request, 0);
  const page = findPageParameters(request, { region, limit: DEFAULT_LIMIT });
  if (page !== undefined) return { kind: 'read-page', region, page };
  return { kind: 'read-region', region, limit: limitOrError(request.query) };
};

/** Spec 4.3; with `?keys=` or page parameters, the head of that read. */
export const parseCountRegion: Parse<CountRegion | ReadPage | ReadEntries> = (request, limits) => {
  const entries = findEntriesRead(request, limits);
  if (entries !== undefined) return entries;
  const region = nameOfSegment(request, 0);
  const page = findPageParameters(request, { region, limit: DEFAULT_LIMIT, at: 'no-page' });
  return page === undefined
    ? { kind: 'count-region', region, at: parseMoment(request.query) }
    : { kind: 'read-page', region, page };
};

/** The read of the keys of `?keys=`. */
const findEntriesRead: Parse<ReadEntries | undefined> = (request, limits) => {
  const keys = keysOfQuery(request.query, limits.maxKeysPerRequest);
  if (keys === undefined) return undefined;
  requireType(request.headers.accept, JSON_TYPE);
  refusePageParameters(request);
  return toReadEntries(request, keys);
};

/** Spec 4.4; with page parameters, a page. */
export const parseListKeys: Parse<IntentOf<'list-keys'> | ReadPage> = (request) => {
  const region = nameOfSegment(request, 0);
  const page = findPageParameters(request, { region, limit: 'ALL', elements: 'keys' });
  if (page !== undefined) return { kind: 'read-page', region, page };
  return { kind: 'list-keys', region };
};

/** Spec 4.5; one key is several keys with N = 1. */
export const parseReadEntries: Parse<ReadEntries> = (request, limits) =>
  toReadEntries(request, keysOfSegment(request.segments[1] ?? '', limits.maxKeysPerRequest));

/** Without `key`, the service generates one. */
export const parseAddEntry: Parse<AddEntry> = (request) => {
  const key = request.query.text('key');
  if (key === '') throw badKeys('A key must not be empty');
  return {
    kind: 'add-entry',
    region: nameOfSegment(request, 0),
    key,
    ttlMs: parseTtl(request.query),
    preconditions: parsePreconditions(request.headers, ONE_KEY),
    idempotencyKey: parseIdempotencyKey(request),
  };
};

/** Spec 4.6 and the other operations of PUT. */
export const parsePutEntries: Parse<WriteEntries> = (request, limits) => {
  const keys = findKeys(request, limits);
  if (keys === undefined) throw badKeys('The path or ?keys= must name the keys to write');
  return {
    kind: 'write-entries',
    region: nameOfSegment(request, 0),
    keys,
    operation: parseOperation(request.query),
    ttlMs: parseTtl(request.query),
    preconditions: parsePreconditions(request.headers, keys),
    idempotencyKey: parseIdempotencyKey(request),
  };
};

/** Changes parts of one entry. */
export const parsePatchEntry: Parse<PatchEntry> = (request, limits) => {
  const { headers } = request;
  const keys = findKeys(request, limits) ?? [];
  const [key] = keys;
  if (key === undefined || keys.length > 1) throw badKeys('PATCH takes exactly one key');
  const patch = PATCH_TYPES.get(mediaTypeOf(headers['content-type']));
  if (patch === undefined)
    throw unsupportedBodyType('PATCH', headers['content-type'], ACCEPT_PATCH);
  return {
    kind: 'patch-entry',
    region: nameOfSegment(request, 0),
    key,
    ttlMs: parseTtl(request.query),
    patch,
    returns: prefers(headers, 'return=representation') ? 'value' : 'nothing',
    preconditions: parsePreconditions(headers, keys),
    idempotencyKey: parseIdempotencyKey(request),
  };
};

/** Without keys, everything in the region. */
export const parseDeleteEntries: Parse<RemoveEntries | IntentOf<'clear-region'>> = (
  request,
  limits,
) => {
  const { headers } = request;
  const keys = findKeys(request, limits);
  if (keys === undefined) {
    // A precondition names the version of one entry.
    parsePreconditions(headers, NO_KEYS);
    refuseIdempotencyKey(headers, 'the clearing of a region');
    return { kind: 'clear-region', region: nameOfSegment(request, 0) };
  }
  return {
    kind: 'remove-entries',
    region: nameOfSegment(request, 0),
    keys,
    preconditions: parsePreconditions(headers, keys),
    idempotencyKey: parseIdempotencyKey(request),
  };
};

/** The keys of the path, or of `?keys=` if the path has none. */
function findKeys(
  { query, segments: [, segment] }: RoutedRequest,
  { maxKeysPerRequest }: KeyLimits,
): readonly string[] | undefined {
  return segment === undefined
    ? keysOfQuery(query, maxKeysPerRequest)
    : keysOfSegment(segment, maxKeysPerRequest);
}

/** Conditions and operations are in the body. */
export const parseTransact: Parse<Transact> = (request) => {
  const { headers } = request;
  parsePreconditions(headers, NO_KEYS);
  return {
    kind: 'transact',
    end: prefers(headers, 'tx=rollback') ? 'roll-back' : 'keep',
    idempotencyKey: parseIdempotencyKey(request),
  };
};

const BULK_FORMS: ReadonlyMap<string, Bulk['form']> = new Map([
  ['application/x-ndjson', 'lines'],
  ['application/ndjson', 'lines'],
  ['application/jsonl', 'lines'],
  ['application/json', 'array'],
]);

const BULK_RULE = 'of a bulk load must be application/x-ndjson or application/json';

export const parseBulk: Parse<Bulk> = (request) => {
  const { headers, query } = request;
  const form = BULK_FORMS.get(mediaTypeOf(headers['content-type']));
  if (form === undefined) throw unsupportedMediaType(BULK_RULE, headers['content-type']);
  const isAtomic = parseFlag(query, 'atomic');
  const results = parseResults(query, headers.accept, isAtomic);
  if (isAtomic && results === 'stream') {
    throw badParameter('An atomic bulk load has one result: results=stream does not go with it');
  }
  parsePreconditions(headers, NO_KEYS);
  if (!isAtomic) refuseIdempotencyKey(headers, 'a bulk load without atomic=true');
  const idempotencyKey = parseIdempotencyKey(request);
  const region = nameOfSegment(request, 0);
  return { kind: 'bulk', region, form, isAtomic, results, idempotencyKey };
};

/** The form of the parameter; without it, the form that the client prefers. */
function parseResults(
  query: QueryString,
  accept: string | undefined,
  isAtomic: boolean,
): Bulk['results'] {
  const offered = isAtomic ? [JSON_TYPE] : [JSON_TYPE, NDJSON_TYPE];
  const preferred = preferredType(accept, offered) === NDJSON_TYPE ? 'stream' : 'summary';
  const results = query.text('results') ?? preferred;
  if (results !== 'summary' && results !== 'stream') {
    throw badParameter(`results (${results}) must be summary or stream`);
  }
  requireType(accept, results === 'stream' ? NDJSON_TYPE : JSON_TYPE);
  return results;
}

/** Preconditions depend only on the number of keys. */
const ONE_KEY = [''];
/** For a request whose keys and conditions are in its body. */
const NO_KEYS: readonly string[] = [];

function toReadEntries(request: RoutedRequest, keys: readonly string[]): ReadEntries {
  return {
    kind: 'read-entries',
    region: nameOfSegment(request, 0),
    keys,
    missing: parseFlag(request.query, 'ignoreMissingKey') ? 'ignored' : 'refused',
    at: parseMoment(request.query),
    ifNoneMatch: request.headers['if-none-match'],
  };
}

function limitOrError(query: QueryString): ReadRegion['limit'] {
  try {
    return parseLimit(query);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
}
