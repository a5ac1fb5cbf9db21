// Regions as a whole, answered as Geode does.

import type { RegionScan } from '../../../grid/index.ts';
import { maySeeRegion } from '../../auth/principal.ts';
import { RequestError } from '../../errors.ts';
import { closeAfter } from '../../handlers/close-after.ts';
import type { AnswerIntent } from '../../handlers/handler.ts';
import { describe, firstKeys } from '../../handlers/regions.ts';
import type { IntentOf, ReadRegion } from '../../intent/intent.ts';
import { emptyResponse } from '../../response/api-response.ts';
import { streamKeysJson, streamRegionJson } from '../../response/region-json.ts';
import { addressHeader, MAX_ADDRESS, toAddress } from './addresses.ts';
import { failOperation } from './geode-error.ts';
import type {} from './geode-intent.ts';
import { geodeJson } from './geode-response.ts';

/** A grid without regions gives an empty list, not an error. */
export const listRegions: AnswerIntent<unknown> = async (_intent, request, { grid }) => {
  const regions = (await grid.describeRegions())
    .filter(({ name }) => maySeeRegion(request.principal, name))
    .map(describe);
  return geodeJson(JSON.stringify({ regions }), ['Location', request.base]);
};

export const readRegion: AnswerIntent<ReadRegion> = async (
  { limit, region: name },
  request,
  { grid },
) => {
  const region = await grid.region(name);
  if (limit instanceof RequestError) throw limit;
  const maxEntries = limit === 'ALL' ? undefined : limit;
  const scan = await region.openScan();
  try {
    const headers = await locationOf(scan, maxEntries, (keys) =>
      toAddress(request.base, name, keys),
    );
    return geodeJson(closeAfter(scan, streamRegionJson(name, scan.values(maxEntries))), headers);
  } catch (error) {
    scan.close();
    throw error;
  }
};

/** Names the keys of the values in their order, unless they are too many for a header. */
async function locationOf(
  scan: RegionScan,
  limit: number | undefined,
  toLocation: (keys: string) => string,
): Promise<readonly string[]> {
  // A key takes two characters at least, with its comma.
  if (Math.min(limit ?? Number.POSITIVE_INFINITY, scan.count()) > MAX_ADDRESS / 2) return [];
  const keys = await firstKeys(scan, limit);
  return addressHeader('Content-Location', toLocation(keys.join(',')));
}

export const countRegion: AnswerIntent<IntentOf<'count-region'>> = async (
  intent,
  _request,
  { grid },
) => {
  const region = await grid.region(intent.region);
  return emptyResponse(200, ['Resource-Count', String(await region.count())]);
};

export const listKeys: AnswerIntent<IntentOf<'list-keys'>> = async (intent, request, { grid }) => {
  const region = await grid.region(intent.region);
  const scan = await region.openScan();
  const headers = addressHeader('Location', toAddress(request.base, region.name, 'keys'));
  return geodeJson(closeAfter(scan, streamKeysJson(scan.keys())), headers);
};

/** In Geode a partitioned region cannot be cleared; its clients know what to do instead. */
export const clearRegion: AnswerIntent<IntentOf<'clear-region'>> = async (
  intent,
  _request,
  { grid },
) => {
  const region = await grid.region(intent.region);
  if (region.definition.type === 'PARTITION') {
    throw failOperation(
      'request/bad-operation',
      'Requested operation not allowed on partition region',
    );
  }
  await region.clear();
  return emptyResponse(200);
};
