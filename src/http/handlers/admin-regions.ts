// Management plane: regions.

import type { RegionDescription } from '../../grid/index.ts';
import { readJsonBody } from '../request/body.ts';
import { JsonObject } from '../request/json-object.ts';
import { ADMIN } from '../response/addresses.ts';
import { emptyResponse, jsonResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';
import { requestedRegionName } from './requested-region.ts';

const REGION_MEMBERS = ['name', 'type', 'key-constraint', 'value-constraint'];

export const createRegion: Handler = async (request, { grid, limits }) => {
  const body = new JsonObject(await readJsonBody(request.incoming, limits), REGION_MEMBERS);
  const name = body.requireString('name');
  await grid.createRegion({
    name,
    type: body.optionalString('type'),
    keyConstraint: body.optionalString('key-constraint'),
    valueConstraint: body.optionalString('value-constraint'),
  });
  return emptyResponse(201, ['Location', `${request.origin}${ADMIN}/regions/${name}`]);
};

/** Unlike the list of the data plane, an empty one is no error. */
export const describeRegions: Handler = async (_request, { grid }) => {
  const regions = (await grid.describeRegions()).map(toJson);
  return jsonResponse(JSON.stringify({ regions }));
};

export const describeRegion: Handler = async (request, { grid }) => {
  const region = await grid.describeRegion(requestedRegionName(request));
  return jsonResponse(JSON.stringify(toJson(region)));
};

export const destroyRegion: Handler = async (request, { grid }) => {
  await grid.destroyRegion(requestedRegionName(request));
  return emptyResponse(200);
};

function toJson(region: RegionDescription): object {
  return {
    name: region.name,
    type: region.type,
    'key-constraint': region.keyConstraint,
    'value-constraint': region.valueConstraint,
    'entry-count': region.entryCount,
    bytes: region.valueBytes,
    indexes: region.indexes,
  };
}
