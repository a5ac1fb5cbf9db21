// Management plane: the indexes of a region.

import type { ApiRequest } from '../request/api-request.ts';
import { readJsonBody } from '../request/body.ts';
import { decodePart } from '../request/decode-part.ts';
import { JsonObject } from '../request/json-object.ts';
import { ADMIN } from '../response/addresses.ts';
import { emptyResponse, jsonResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';
import { requestedRegionName } from './requested-region.ts';

const INDEX_MEMBERS = ['name', 'expression', 'from', 'kind'];

export const createIndex: Handler = async (request, { grid, limits }) => {
  const region = requestedRegionName(request);
  const body = new JsonObject(await readJsonBody(request.incoming, limits), INDEX_MEMBERS);
  const name = body.requireString('name');
  await grid.createIndex(region, {
    name,
    expression: body.requireString('expression'),
    from: body.optionalString('from'),
    kind: body.optionalString('kind'),
  });
  const address = `${request.origin}${ADMIN}/regions/${region}/indexes/${encodeURIComponent(name)}`;
  return emptyResponse(201, ['Location', address]);
};

export const listIndexes: Handler = async (request, { grid }) => {
  const { indexes } = await grid.describeRegion(requestedRegionName(request));
  return jsonResponse(JSON.stringify({ indexes }));
};

export const describeIndex: Handler = async (request, { grid }) => {
  const index = await grid.describeIndex(requestedRegionName(request), requestedIndexName(request));
  return jsonResponse(JSON.stringify(index));
};

export const dropIndex: Handler = async (request, { grid }) => {
  await grid.dropIndex(requestedRegionName(request), requestedIndexName(request));
  return emptyResponse(200);
};

function requestedIndexName(request: ApiRequest): string {
  return decodePart(request.segments[1] ?? '');
}
