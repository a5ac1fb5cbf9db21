// Named queries: list, read, create, update, delete.

import { type Grid, OqlError } from '../../grid/index.ts';
import { maySeeQuery, readableRegions } from '../auth/principal.ts';
import { badParameter, badQueryText } from '../errors.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { decodePart } from '../request/decode-part.ts';
import { parseFlag, parseQueryText } from '../request/parameters.ts';
import { queryAddress } from '../response/addresses.ts';
import { emptyResponse, jsonResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';

/** Spec 4.7. */
export const listQueries: Handler = async (request, { grid }) => {
  const queries = await grid.listQueries((id) => maySeeQuery(request.principal, id));
  return jsonResponse(`{"queries":[${queries.join(',')}]}`, [
    'Location',
    request.origin + request.path,
  ]);
};

export const readQuery: Handler = async (request, { grid }) => {
  const id = requestedQueryId(request);
  return jsonResponse(await grid.readQuery(id), ['Location', queryAddress(request.origin, id)]);
};

export const createQuery: Handler = async (request, { grid }) => {
  const id = request.query.require('id');
  const oql = requiredQueryText(request);
  await checkIfAsked(request, grid, oql);
  await grid.createQuery({ id, oql });
  return emptyResponse(201, ['Location', queryAddress(request.origin, id)]);
};

/** Spec 4.9: the text comes in `q` alone; a body is ignored. */
export const updateQuery: Handler = async (request, { grid }) => {
  const id = requestedQueryId(request);
  const oql = requiredQueryText(request);
  await checkIfAsked(request, grid, oql);
  await grid.updateQuery({ id, oql });
  return emptyResponse(200, ['Location', queryAddress(request.origin, id)]);
};

/** Spec 4.10. */
export const deleteQuery: Handler = async (request, { grid }) => {
  await grid.deleteQuery(requestedQueryId(request));
  return emptyResponse(200);
};

/** `check=true` compiles first; without it, a wrong text fails when it is run. */
async function checkIfAsked(request: ApiRequest, grid: Grid, oql: string): Promise<void> {
  if (!parseFlag(request.query, 'check')) return;
  try {
    await grid.checkQuery(oql, readableRegions(request.principal));
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    const { message, position, hint } = error;
    throw badQueryText(message, {
      position,
      cause: error,
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

export function requestedQueryId(request: ApiRequest): string {
  return decodePart(request.segments[0] ?? '');
}

function requiredQueryText(request: ApiRequest): string {
  const oql = parseQueryText(request.query);
  if (oql === undefined || oql.trim() === '') {
    throw badParameter('Query parameter q, the OQL text, is missing');
  }
  return oql;
}
