// The history of one entry: lists its versions, and restores one.

import type { EntryVersion } from '../../grid/index.ts';
import { entriesAddress } from '../response/addresses.ts';
import { emptyResponse, jsonResponse } from '../response/api-response.ts';
import { nextLink } from '../response/page-links.ts';
import type { Handler } from './handler.ts';

export const listVersions: Handler<'list-versions'> = async (intent, request, { grid }) => {
  const region = await grid.region(intent.region);
  const { isLast, versions } = await region.listVersions(intent);
  const body = `{"versions":[${versions.map(printVersion).join(',')}]}`;
  const last = versions.at(-1);
  if (isLast || last === undefined) return jsonResponse(body);
  const path = `${request.base}/${intent.region}/_history/${encodeURIComponent(intent.key)}`;
  const next = `${path}?before=${last.version}&limit=${intent.limit}`;
  return jsonResponse(body, ['Link', nextLink(next)]);
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
  const member = value === undefined ? '' : `,"value":${value}`;
  return `{"version":${version}${time},"op":"${operation}"${member}}`;
}
