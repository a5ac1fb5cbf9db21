// The history of one entry: lists its versions, and restores one.

import type { EntryVersion } from '../../grid/index.ts';
import type { ListVersions } from '../intent/intent.ts';
import { entriesAddress } from '../response/addresses.ts';
import { emptyResponse, jsonResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';

export const listVersions: Handler<'list-versions'> = async (intent, request, { grid }) => {
  const region = await grid.region(intent.region);
  const { isLast, versions } = await region.listVersions(intent);
  const body = `{"versions":[${versions.map(printVersion).join(',')}]}`;
  const last = versions.at(-1);
  if (isLast || last === undefined) return jsonResponse(body);
  return jsonResponse(body, ['Link', `<${nextPage(request.base, intent, last)}>; rel="next"`]);
};

export const restoreEntry: Handler<'restore-entry'> = async (intent, request, { grid }) => {
  const { key, preconditions } = intent;
  const region = await grid.region(intent.region);
  const version = await region.restore(key, intent.version, preconditions);
  const location = entriesAddress(request.base, region.name, [key]);
  return emptyResponse(200, ['Location', location, 'ETag', `"${version}"`]);
};

/** Values are printed as they are stored. */
function printVersion({ operation, timeMs, value, version }: EntryVersion): string {
  const time = timeMs === undefined ? '' : `,"time":"${new Date(timeMs).toISOString()}"`;
  const kept = value === undefined ? '' : `,"value":${value}`;
  return `{"version":${version}${time},"op":"${operation}"${kept}}`;
}

function nextPage(base: string, { key, limit, region }: ListVersions, last: EntryVersion): string {
  const path = `${base}/${region}/_history/${encodeURIComponent(key)}`;
  return `${path}?before=${last.version}&limit=${limit}`;
}
