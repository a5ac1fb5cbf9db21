// Named queries: list, read, create, update, delete.

import { type Grid, OqlError } from '../../grid/index.ts';
import { maySeeQuery, readableRegions } from '../auth/principal.ts';
import { badQueryText } from '../errors.ts';
import type { UpdateQuery } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseNewQuery } from '../request/new-query.ts';
import { queryAddress } from '../response/addresses.ts';
import { emptyResponse, jsonResponse } from '../response/api-response.ts';
import { warningHeader } from '../response/query-warnings.ts';
import type { Handler } from './handler.ts';

/** Spec 4.7. */
export const listQueries: Handler<'list-queries'> = async (_intent, request, { grid }) => {
  const queries = await grid.listQueries((id) => maySeeQuery(request.principal, id));
  return jsonResponse(`{"queries":[${queries.join(',')}]}`, [
    'Location',
    `${request.base}/queries`,
  ]);
};

export const readQuery: Handler<'read-query'> = async ({ queryId }, request, { grid }) =>
  jsonResponse(await grid.readQuery(queryId), ['Location', queryAddress(request.base, queryId)]);

export const createQuery: Handler<'create-query'> = async (intent, request, { grid, limits }) => {
  const { check, oql: text, queryId } = intent;
  const { id, oql } =
    queryId === undefined || text === undefined
      ? parseNewQuery(await request.readOptionalJson(limits), { id: queryId, oql: text })
      : { id: queryId, oql: text };
  const warnings = await checkIfRequested({ check, isStrict: intent.isStrict, oql }, request, grid);
  await grid.createQuery({ id, oql });
  const location = ['Location', queryAddress(request.base, id)];
  return emptyResponse(201, [...location, ...warningHeader(warnings)]);
};

/** Spec 4.9. */
export const updateQuery: Handler<'update-query'> = async (intent, request, { grid }) => {
  const { oql, queryId: id } = intent;
  const warnings = await checkIfRequested(intent, request, grid);
  await grid.updateQuery({ id, oql });
  const location = ['Location', queryAddress(request.base, id)];
  return emptyResponse(200, [...location, ...warningHeader(warnings)]);
};

/** Spec 4.10. */
export const deleteQuery: Handler<'delete-query'> = async ({ queryId }, _request, { grid }) => {
  await grid.deleteQuery(queryId);
  return emptyResponse(200);
};

/** `check=true` compiles first; without it, an invalid text fails when it runs. */
async function checkIfRequested(
  { check, ...text }: Pick<UpdateQuery, 'check' | 'isStrict' | 'oql'>,
  { principal }: ApiRequest,
  grid: Grid,
): Promise<readonly string[]> {
  if (!check) return [];
  try {
    return await grid.checkQuery({ ...text, mayRead: readableRegions(principal) });
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    const { message, position, hint } = error;
    throw badQueryText(message, { position, cause: error, hint });
  }
}
