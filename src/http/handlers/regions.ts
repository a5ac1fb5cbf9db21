// Reading regions: the list, a page or all of one, its size and its keys.

import {
  andThen,
  type FirstEntries,
  type GridRegion,
  type MaybePromise,
  type Moment,
  type PagedRegion,
  type RegionDescription,
  type RegionScan,
} from '../../grid/index.ts';
import { maySeeRegion } from '../auth/principal.ts';
import { RequestError } from '../errors.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { contentLocation, MAX_CONTENT_LOCATION } from '../response/addresses.ts';
import { type ApiResponse, emptyResponse, jsonResponse } from '../response/api-response.ts';
import { JSON_TYPE, JSON_UTF8_TYPE } from '../response/media-types.ts';
import { nextLink, nextPagePath } from '../response/page-links.ts';
import { elementsJson, streamKeysJson, streamRegionJson } from '../response/region-json.ts';
import { closeAfter } from './close-after.ts';
import type { Handler } from './handler.ts';

/** Up to this many entries are read at once; more are streamed. */
const SMALL_READ = 100;
/** More keys than this never fit into a Content-Location. */
const LOCATED_KEYS = 1024;

/** Spec 4.1. */
export const listRegions: Handler<'list-regions'> = async (_intent, request, { grid }) => {
  const regions = (await grid.listRegions((name) => maySeeRegion(request.principal, name))).map(
    describe,
  );
  return jsonResponse(JSON.stringify({ regions }), ['Location', request.base]);
};

/** Spec 4.2. */
export const readRegion: Handler<'read-region'> = ({ limit, region: name }, request, api) =>
  andThen(api.grid.region(name), (region) => {
    if (limit instanceof RequestError) throw limit;
    return limit !== 'ALL' && limit <= SMALL_READ
      ? readPage(request, region, limit)
      : readLarge(request, region, limit);
  });

/** Spec 4.3. */
export const countRegion: Handler<'count-region'> = async (intent, _request, { grid }) => {
  const opening = grid.region(intent.region);
  const region = opening instanceof Promise ? await opening : opening;
  const count = String(await countAt(region, intent.at));
  const headers = ['Resource-Count', count];
  return { status: 200, contentType: JSON_UTF8_TYPE, headers, body: undefined };
};

async function countAt(region: GridRegion, at: Moment | undefined): Promise<number> {
  if (at === undefined) return region.count();
  const scan = await region.openScan(at);
  try {
    return scan.count();
  } finally {
    scan.close();
  }
}

/** Spec 4.4. */
export const listKeys: Handler<'list-keys'> = async (intent, request, { grid }) => {
  const region = await grid.region(intent.region);
  const scan = await region.openScan();
  return jsonResponse(closeAfter(scan, streamKeysJson(scan.keys())), [
    'Location',
    `${request.base}/${region.name}/keys`,
  ]);
};

/** Removes every entry; the region stays. */
export const clearRegion: Handler<'clear-region'> = async (intent, _request, { grid }) => {
  const region = await grid.region(intent.region);
  await region.clear();
  return emptyResponse(200);
};

function readPage(
  request: ApiRequest,
  region: GridRegion,
  limit: number,
): MaybePromise<ApiResponse> {
  return andThen(region.makePage(limit, makePage), ({ page, isCached }) => {
    const { body } = page;
    const headers: string[] = [];
    const address = request.base + page.path;
    if (page.path !== '' && address.length <= MAX_CONTENT_LOCATION) {
      headers.push('Content-Location', address);
    }
    if (page.next !== '') headers.push('Link', nextLink(request.base + page.next));
    const ownBody = isCached ? undefined : body;
    return { status: 200, contentType: JSON_TYPE, headers, body, ownBody };
  });
}

/** A whole page, as the grid caches it. */
interface CachedPage {
  /** The path of `Content-Location`, relative to the base; empty if there is none. */
  readonly path: string;
  /** The path of the next page, relative to the base; empty if there is none. */
  readonly next: string;
  readonly body: Buffer;
}

function makePage(
  region: PagedRegion,
  limit: number,
  { keys, values }: FirstEntries,
): MaybePromise<CachedPage> {
  const path = contentLocation('', region.name, keys) ?? '';
  const last = keys.at(-1);
  const body = elementsJson(region.name, values);
  if (last === undefined) return { path, next: '', body };
  return andThen(region.count(), (count) => {
    const isLast = count <= keys.length;
    return { path, next: isLast ? '' : nextPagePath(region.name, limit, last), body };
  });
}

async function readLarge(
  request: ApiRequest,
  region: GridRegion,
  limit: number | 'ALL',
): Promise<ApiResponse> {
  const scan = await region.openScan();
  const maxEntries = limit === 'ALL' ? undefined : limit;
  try {
    const isLocated = Math.min(maxEntries ?? LOCATED_KEYS + 1, scan.count()) <= LOCATED_KEYS;
    const keys = isLocated ? await firstKeys(scan, maxEntries) : undefined;
    const address = keys && contentLocation(request.base, region.name, keys);
    const headers = address === undefined ? [] : ['Content-Location', address];
    const last =
      maxEntries !== undefined && scan.count() > maxEntries
        ? await lastKey(scan, maxEntries)
        : undefined;
    if (maxEntries !== undefined && last !== undefined) {
      headers.push('Link', nextLink(request.base + nextPagePath(region.name, maxEntries, last)));
    }
    const body = streamRegionJson(region.name, scan.values(maxEntries));
    return jsonResponse(closeAfter(scan, body), headers);
  } catch (error) {
    scan.close();
    throw error;
  }
}

export async function firstKeys(
  scan: RegionScan,
  limit: number | undefined,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const batch of scan.keys(limit)) keys.push(...batch);
  return keys;
}

async function lastKey(scan: RegionScan, limit: number): Promise<string | undefined> {
  let last: string | undefined;
  for await (const batch of scan.keys(limit)) last = batch.at(-1);
  return last;
}

/** As the data plane lists it. */
export function describe(region: RegionDescription): object {
  return {
    name: region.name,
    type: region.type,
    'key-constraint': region.keyConstraint,
    'value-constraint': region.valueConstraint,
  };
}
