// Entries by key: read, put, replace, create, compare-and-set, delete.

import {
  andThen,
  type GridRegion,
  type MaybePromise,
  type NewEntry,
  type StoredEntry,
} from '../../grid/index.ts';
import { kindOfJson, splitArray, splitObject } from '../../value/json-text.ts';
import { badBody } from '../errors.ts';
import type { ReadEntries } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { oneDeeper } from '../request/body.ts';
import type { WriteOperation } from '../request/parameters.ts';
import { entityTag, findUnchanged } from '../request/preconditions.ts';
import { contentLocation, entriesAddress } from '../response/addresses.ts';
import { fillAnswer, VERSION } from '../response/answer-template.ts';
import { type ApiResponse, emptyResponse } from '../response/api-response.ts';
import { JSON_TYPE } from '../response/media-types.ts';
import { elementsJson, regionJson } from '../response/region-json.ts';
import type { Handler } from './handler.ts';
import { writeIdempotently } from './idempotent-write.ts';

/** Spec 4.5; one key is several keys with N = 1. */
export const readEntries: Handler<'read-entries'> = (intent, request, { grid }) =>
  andThen(grid.region(intent.region), (region) =>
    intent.keys.length < MANY_KEYS || intent.at !== undefined
      ? respondOneByOne(intent, request, region)
      : andThen(region.readTogether(intent.keys), (together) =>
          together === undefined
            ? respondOneByOne(intent, request, region)
            : respondWithValues(intent, request, {
                versions: together.versions,
                print: () => {
                  const body = elementsJson(region.name, together.values);
                  return { body, ownBody: body };
                },
              }),
        ),
  );

function respondOneByOne(
  intent: ReadEntries,
  request: ApiRequest,
  region: GridRegion,
): MaybePromise<ApiResponse> {
  const { keys } = intent;
  const read = intent.at === undefined ? region.read(keys) : region.readAt(keys, intent.at);
  return andThen(read, (entries) => {
    if (intent.missing === 'refused') region.requireAll(keys, entries);
    return andThen(findExpiry(intent, region, entries), (expires) =>
      respondWithValues(intent, request, {
        versions: entries.map((entry) => entry?.version ?? ABSENT),
        expires,
        print: () => regionJson(region.name, joinValues(entries)),
      }),
    );
  });
}

/** The expiry of one entry, as it is now. */
function findExpiry(
  { at, keys }: ReadEntries,
  region: GridRegion,
  [entry]: readonly (StoredEntry | undefined)[],
): MaybePromise<number | undefined> {
  const [key] = keys;
  if (at !== undefined || keys.length !== 1 || key === undefined || !entry) return undefined;
  return region.findExpiry(key, entry.version);
}

/** From this many keys on, the store joins the values. */
const MANY_KEYS = 8;
/** The version of an absent key. */
const ABSENT = 0;

function respondWithValues(
  { at, ifNoneMatch, keys, region }: ReadEntries,
  request: ApiRequest,
  read: {
    readonly versions: readonly number[];
    /** Milliseconds since 1970. */
    readonly expires?: number | undefined;
    readonly print: () => Pick<ApiResponse, 'body' | 'bodyBytes' | 'ownBody'>;
  },
): ApiResponse {
  const tag = entityTag(read.versions);
  // The address of the keys has their present values.
  const address = at === undefined ? contentLocation(request.base, region, keys) : undefined;
  const entityHeaders = address === undefined ? [] : ['Content-Location', address];
  const unchanged = findUnchanged(ifNoneMatch, tag);
  const { expires } = read;
  if (expires !== undefined) entityHeaders.push('Expires', new Date(expires).toUTCString());
  if (unchanged !== undefined) return emptyResponse(304, ['ETag', unchanged, ...entityHeaders]);
  const headers = ['ETag', tag, ...entityHeaders];
  return { status: 200, contentType: JSON_TYPE, headers, ...read.print() };
}

/** A new entry, under the key given or under a fresh one. */
export const addEntry: Handler<'add-entry'> = (intent, request, api) =>
  writeIdempotently(
    intent,
    { request, api },
    () => request.readJson(api.limits),
    async (readBody, storeAnswer) => {
      const region = await api.grid.region(intent.region);
      const key = intent.key ?? api.newKey();
      const value = await readBody();
      const answer = { status: 201, headers: writtenHeaders(request, region, [key]) };
      const version = await region.add(
        { key, value, ttlMs: intent.ttlMs },
        intent.preconditions,
        storeAnswer?.(answer),
      );
      return fillAnswer(answer, version);
    },
  );

/** Spec 4.6 and the other operations of PUT. */
export const writeEntries: Handler<'write-entries'> = (intent, request, api) => {
  const { keys, operation, preconditions, ttlMs } = intent;
  // The outer list or object does not count: the limit is on the nesting of the values.
  const isWrapped = operation === 'CAS' || keys.length > 1;
  const limits = isWrapped ? oneDeeper(api.limits) : api.limits;
  return writeIdempotently(
    intent,
    { request, api },
    () => request.readJson(limits),
    async (readBody, storeAnswer) => {
      const opening = api.grid.region(intent.region);
      const region = opening instanceof Promise ? await opening : opening;
      // Nearly always both are available, so only the commit is awaited.
      const reading = readBody();
      const body = reading instanceof Promise ? await reading : reading;
      const headers = writtenHeaders(request, region, keys);
      const answer = { status: operation === 'CREATE' ? 201 : 200, headers };
      const answerWrite = storeAnswer?.(answer);
      const version =
        operation === 'CAS'
          ? await region.compareAndSet({ ...toComparison(keys, body), ttlMs }, preconditions, {
              answerWrite,
            })
          : await region[METHODS[operation]](
              toEntries(keys, body, ttlMs),
              preconditions,
              answerWrite,
            );
      return fillAnswer(answer, version);
    },
  );
};

const METHODS = {
  PUT: 'put',
  REPLACE: 'replace',
  CREATE: 'create',
} as const satisfies Record<Exclude<WriteOperation, 'CAS'>, keyof GridRegion>;

export const removeEntries: Handler<'remove-entries'> = (intent, request, api) =>
  writeIdempotently(
    intent,
    { request, api },
    () => '',
    async (_readBody, storeAnswer) => {
      const region = await api.grid.region(intent.region);
      const answer = { status: 200, headers: [] };
      const answerWrite = storeAnswer?.(answer);
      return fillAnswer(
        answer,
        await region.remove(intent.keys, intent.preconditions, answerWrite),
      );
    },
  );

function joinValues(entries: readonly (StoredEntry | undefined)[]): string {
  if (entries.length === 1) return entries[0]?.value ?? 'null';
  return entries.map((entry) => entry?.value ?? 'null').join(',');
}

/** Several keys take an array of as many values, one key takes its value. */
function toEntries(
  keys: readonly string[],
  body: string,
  ttlMs: number | undefined,
): readonly NewEntry[] {
  const [first, ...others] = keys;
  if (first !== undefined && others.length === 0) return [{ key: first, value: body, ttlMs }];
  if (kindOfJson(body) !== 'array') {
    throw badBody(`${keys.length} keys need an array of ${keys.length} values`);
  }
  const values = splitArray(body);
  if (values.length !== keys.length) {
    throw badBody(`${keys.length} keys need as many values, not ${values.length}`);
  }
  return keys.map((key, i) => ({ key, value: values[i] ?? '', ttlMs }));
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
): readonly string[] {
  const location = entriesAddress(request.base, region.name, keys);
  const headers = ['Location', location];
  // An EMPTY region stores nothing, so there is no entity to tag.
  if (keys.length === 1 && region.definition.type !== 'EMPTY') {
    headers.push('ETag', `"${VERSION}"`);
  }
  return headers;
}
