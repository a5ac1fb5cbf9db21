// Management plane: the indexes of a region.

import type { Grid } from '../../grid/index.ts';
import { INDEX_MEMBERS } from '../../value/region-words.ts';
import { JsonObject } from '../request/json-object.ts';
import { ADMIN } from '../response/addresses.ts';
import { emptyResponse, jsonResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';

type IndexDetails = Awaited<ReturnType<Grid['describeIndex']>>;

export const createIndex: Handler<'create-index'> = async ({ region }, request, api) => {
  const body = new JsonObject(await request.readJson(api.limits), INDEX_MEMBERS);
  const name = body.requireString('name');
  await api.grid.createIndex(region, {
    name,
    expression: body.requireString('expression'),
    from: body.optionalString('from'),
    kind: body.optionalString('kind'),
    unique: body.optionalFlag('unique'),
  });
  const address = `${request.origin}${ADMIN}/regions/${region}/indexes/${encodeURIComponent(name)}`;
  return emptyResponse(201, ['Location', address]);
};

export const listIndexes: Handler<'list-indexes'> = async ({ region }, _request, { grid }) => {
  const indexes = await grid.listIndexes(region);
  return jsonResponse(JSON.stringify({ indexes: indexes.map(printIndex) }));
};

export const describeIndex: Handler<'describe-index'> = async (intent, _request, { grid }) => {
  const index = await grid.describeIndex(intent.region, intent.index);
  return jsonResponse(JSON.stringify(printIndex(index)));
};

/** Times are in ISO 8601; an index that was never used has none. */
function printIndex({ lastAt, since, uses, ...definition }: IndexDetails): object {
  return {
    ...definition,
    uses,
    'last-used': lastAt === undefined ? undefined : new Date(lastAt).toISOString(),
    'counted-since': new Date(since).toISOString(),
  };
}

export const dropIndex: Handler<'drop-index'> = async ({ index, region }, _request, { grid }) => {
  await grid.dropIndex(region, index);
  return emptyResponse(200);
};
