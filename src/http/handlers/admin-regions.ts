// Management plane: regions.

import type { RegionDescription } from '../../grid/index.ts';
import { JsonObject } from '../request/json-object.ts';
import { ADMIN } from '../response/addresses.ts';
import { emptyResponse, jsonResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';

const REGION_MEMBERS = ['name', 'type', 'key-constraint', 'value-constraint'];

export const createRegion: Handler<'create-region'> = async (_intent, request, api) => {
  const body = new JsonObject(await request.readJson(api.limits), REGION_MEMBERS);
  const name = body.requireString('name');
  await api.grid.createRegion({
    name,
    type: body.optionalString('type'),
    keyConstraint: body.optionalString('key-constraint'),
    valueConstraint: body.optionalString('value-constraint'),
  });
  return emptyResponse(201, ['Location', `${request.origin}${ADMIN}/regions/${name}`]);
};

/** Unlike the list of the data plane, an empty one is no error. */
export const describeRegions: Handler<'describe-regions'> = async (_intent, _request, { grid }) => {
  const regions = (await grid.describeRegions()).map(toJson);
  return jsonResponse(JSON.stringify({ regions }));
};

export const describeRegion: Handler<'describe-region'> = async (intent, _request, { grid }) => {
  const region = await grid.describeRegion(intent.region);
  return jsonResponse(JSON.stringify(toJson(region)));
};

export const destroyRegion: Handler<'destroy-region'> = async (intent, _request, { grid }) => {
  await grid.destroyRegion(intent.region);
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
