// Entries by key: read, put, replace, create, compare-and-set, delete.

import type { GridRegion, NewEntry, Soon, StoredEntry } from '../../grid/index.ts';
import { kindOfJson, splitArray, splitObject } from '../../value/json-text.ts';
import { badBody, badKeys } from '../errors.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { type BodyLimits, readJsonBody } from '../request/body.ts';
import { keysOfQuery, keysOfSegment } from '../request/keys.ts';
import { parseFlag, parseOperation, type WriteOperation } from '../request/parameters.ts';
import { entityTag, isUnchanged, parsePreconditions } from '../request/preconditions.ts';
import { contentLocation, entriesAddress } from '../response/addresses.ts';
import { type ApiResponse, emptyResponse, JSON_TYPE } from '../response/api-response.ts';
import { elementsJson, regionJson } from '../response/region-json.ts';
import { goOn } from './go-on.ts';
import type { Api, Handler } from './handler.ts';
import { requestedRegion } from './requested-region.ts';

/** Spec 4.5; one key is several keys with N = 1. */
export const readEntries: Handler = (request, api) =>
  respondWithEntries(request, api, requestedKeys(request, api));

export function respondWithEntries(
  request: ApiRequest,
  api: Api,
  keys: readonly string[],
): Soon<ApiResponse> {
  const missing = parseFlag(request.query, 'ignoreMissingKey') ? 'ignored' : 'refused';
  return goOn(requestedRegion(request, api), (region) =>
    keys.length < MANY_KEYS
      ? respondOneByOne(request, region, { keys, missing })
      : goOn(region.readTogether(keys), (together) =>
          together === undefined
            ? respondOneByOne(request, region, { keys, missing })
            : respondWithValues(request, region.name, {
                keys,
                versions: together.versions,
                print: () => ({ body: elementsJson(region.name, together.values) }),
              }),
        ),
  );
}

interface RequestedEntries {
  readonly keys: readonly string[];
  readonly missing: 'ignored' | 'refused';
}

function respondOneByOne(
  request: ApiRequest,
  region: GridRegion,
  { keys, missing }: RequestedEntries,
): Soon<ApiResponse> {
  return goOn(region.read(keys), (entries) => {
    if (missing === 'refused') region.requireAll(keys, entries);
    return respondWithValues(request, region.name, {
      keys,
      versions: entries.map((entry) => entry?.version ?? ABSENT),
      print: () => regionJson(region.name, joinValues(entries)),
    });
  });
}

/** From here on the values are better put together by the store. */
const MANY_KEYS = 8;
/** Stands for the version of a key that is absent. */
const ABSENT = 0;

function respondWithValues(
  request: ApiRequest,
  region: string,
  read: {
    readonly keys: readonly string[];
    readonly versions: readonly number[];
    readonly print: () => Pick<ApiResponse, 'body' | 'bodyBytes'>;
  },
): ApiResponse {
  const tag = entityTag(read.versions);
  const headers = ['Content-Type', JSON_TYPE, 'ETag', tag];
  const address = contentLocation(request.origin, region, read.keys);
  if (address !== undefined) headers.push('Content-Location', address);
  if (isUnchanged(request.headers, tag)) return emptyResponse(304, headers.slice(2));
  const { body, bodyBytes } = read.print();
  return { status: 200, headers, body, bodyBytes };
}

/** A new entry, under the key given or under a fresh one. */
export const postEntry: Handler = async (request, api) => {
  const region = await requestedRegion(request, api);
  const given = request.query.text('key');
  if (given === '') throw badKeys('A key must not be empty');
  const key = given ?? api.newKey();
  const value = await readJsonBody(request.incoming, api.limits);
  const version = await region.add({ key, value }, parsePreconditions(request.headers, [key]));
  return emptyResponse(201, writtenHeaders(request, region, [key], version));
};

/** Spec 4.6 and the other operations of PUT. */
export const putEntries: Handler = async (request, api) => {
  const keys = requestedKeys(request, api);
  const operation = parseOperation(request.query);
  const preconditions = parsePreconditions(request.headers, keys);
  const region = await requestedRegion(request, api);
  // What holds the values is none of them, and their nesting is what is limited.
  const isWrapped = operation === 'CAS' || keys.length > 1;
  const body = await readJsonBody(request.incoming, isWrapped ? oneDeeper(api.limits) : api.limits);
  const version =
    operation === 'CAS'
      ? await region.compareAndSet(toComparison(keys, body), preconditions)
      : await region[METHODS[operation]](toEntries(keys, body), preconditions);
  const headers = writtenHeaders(request, region, keys, version);
  return emptyResponse(operation === 'CREATE' ? 201 : 200, headers);
};

function oneDeeper(limits: BodyLimits): BodyLimits {
  return { ...limits, maxJsonDepth: limits.maxJsonDepth + 1 };
}

const METHODS = {
  PUT: 'put',
  REPLACE: 'replace',
  CREATE: 'create',
} as const satisfies Record<Exclude<WriteOperation, 'CAS'>, keyof GridRegion>;

export const deleteEntries: Handler = async (request, api) => {
  const keys = requestedKeys(request, api);
  const preconditions = parsePreconditions(request.headers, keys);
  const region = await requestedRegion(request, api);
  await region.remove(keys, preconditions);
  return emptyResponse(200);
};

/** Without `?keys=`, everything in the region. */
export const clearRegion: Handler = async (request, api) => {
  if (keysOfQuery(request.query, api.limits.maxKeysPerRequest) !== undefined) {
    return deleteEntries(request, api);
  }
  const region = await requestedRegion(request, api);
  parsePreconditions(request.headers, []);
  await region.clear();
  return emptyResponse(200);
};

/** Keys of the path, or of `?keys=` where the path names only the region. */
function requestedKeys(request: ApiRequest, api: Api): readonly string[] {
  const { maxKeysPerRequest } = api.limits;
  const segment = request.segments[1];
  if (segment !== undefined) return keysOfSegment(segment, maxKeysPerRequest);
  const keys = keysOfQuery(request.query, maxKeysPerRequest);
  if (keys === undefined) throw badKeys('The path or ?keys= must name the keys to write');
  return keys;
}

function joinValues(entries: readonly (StoredEntry | undefined)[]): string {
  if (entries.length === 1) return entries[0]?.value ?? 'null';
  return entries.map((entry) => entry?.value ?? 'null').join(',');
}

/** Several keys take an array of as many values, one key takes its value. */
function toEntries(keys: readonly string[], body: string): readonly NewEntry[] {
  const [first, ...others] = keys;
  if (first !== undefined && others.length === 0) return [{ key: first, value: body }];
  if (kindOfJson(body) !== 'array') {
    throw badBody(`${keys.length} keys need an array of ${keys.length} values`);
  }
  const values = splitArray(body);
  if (values.length !== keys.length) {
    throw badBody(`${keys.length} keys need as many values, not ${values.length}`);
  }
  return keys.map((key, i) => ({ key, value: values[i] ?? '' }));
}

function toComparison(
  keys: readonly string[],
  body: string,
): { readonly key: string; readonly expected: string; readonly value: string } {
  const [key, ...others] = keys;
  if (key === undefined || others.length > 0) throw badBody('CAS takes exactly one key');
  const members = kindOfJson(body) === 'object' ? splitObject(body) : new Map<string, string>();
  const expected = members.get('@old');
  const value = members.get('@new');
  if (expected === undefined || value === undefined) {
    throw badBody('CAS needs an object with the members @old and @new');
  }
  return { key, expected, value };
}

function writtenHeaders(
  request: ApiRequest,
  region: GridRegion,
  keys: readonly string[],
  version: number,
): readonly string[] {
  const location = entriesAddress(request.origin, region.name, keys);
  const headers = ['Location', location];
  // An EMPTY region keeps nothing, so there is no entity to tag.
  if (keys.length === 1 && region.definition.type !== 'EMPTY') {
    headers.push('ETag', `"${version}"`);
  }
  return headers;
}
