// Management plane: regions.

import { printSettings, type RegionDescription, type SettingsRequest } from '../../grid/index.ts';
import { REGION_MEMBERS, SETTING_MEMBERS } from '../../value/region-words.ts';
import { JsonObject } from '../request/json-object.ts';
import { ADMIN } from '../response/addresses.ts';
import { emptyResponse, jsonResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';
import { describe } from './regions.ts';

export const createRegion: Handler<'create-region'> = async (_intent, request, api) => {
  const body = new JsonObject(await request.readJson(api.limits), REGION_MEMBERS);
  const name = body.requireString('name');
  await api.grid.createRegion({
    name,
    type: body.optionalString('type'),
    keyConstraint: body.optionalString('key-constraint'),
    valueConstraint: body.optionalString('value-constraint'),
    settings: settingsOf(body),
  });
  return emptyResponse(201, ['Location', `${request.origin}${ADMIN}/regions/${name}`]);
};

/** Absent members stay as they are; null removes a setting. */
export const alterRegion: Handler<'alter-region'> = async (intent, request, api) => {
  const body = new JsonObject(await request.readJson(api.limits), SETTING_MEMBERS);
  const region = await api.grid.alterRegion(intent.region, settingsOf(body));
  return jsonResponse(JSON.stringify(toJson(region)));
};

/** Unlike the list of the data plane, an empty list is not an error. */
export const describeRegions: Handler<'describe-regions'> = async (_intent, _request, { grid }) => {
  const regions = (await grid.describeRegions()).map(toJson);
  return jsonResponse(JSON.stringify({ regions }));
};

export const describeRegion: Handler<'describe-region'> = async (intent, _request, { grid }) => {
  const region = await grid.describeRegion(intent.region);
  return jsonResponse(JSON.stringify(toJson(region)));
};

/** Values are JSON texts, so that numbers stay exact. */
export const readSchema: Handler<'read-schema'> = async (
  { region, sample },
  _request,
  { grid },
) => {
  const schema = await grid.inferSchema(region, sample);
  const fields = schema.fields.map(({ distinct, greatest, least, ...field }) => ({
    ...field,
    distinct: distinct.count,
    'distinct-is-more': distinct.isMore,
    least,
    greatest,
  }));
  return jsonResponse(
    JSON.stringify({ region, sampled: schema.sampled, fields, 'is-cut': schema.isCut }),
  );
};

export const destroyRegion: Handler<'destroy-region'> = async (intent, _request, { grid }) => {
  await grid.destroyRegion(intent.region);
  return emptyResponse(200);
};

function settingsOf(body: JsonObject): SettingsRequest {
  return {
    history: body.member('history'),
    entryTtl: body.member('entry-ttl'),
    maxTtl: body.member('max-ttl'),
  };
}

function toJson(region: RegionDescription): object {
  const { entryTtl, history, maxTtl } = printSettings(region);
  return {
    ...describe(region),
    ...(history === undefined ? {} : { history }),
    ...(entryTtl === undefined ? {} : { 'entry-ttl': entryTtl }),
    ...(maxTtl === undefined ? {} : { 'max-ttl': maxTtl }),
    'entry-count': region.entryCount,
    bytes: region.valueBytes,
    indexes: region.indexes,
  };
}
