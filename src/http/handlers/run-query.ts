// Running queries, named and ad-hoc.

import type { QueryRequest } from '../../grid/index.ts';
import { readableRegions } from '../auth/principal.ts';
import { badParameter } from '../errors.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseAdhocBody, parseBindParameters } from '../request/bind-parameters.ts';
import { readJsonBody, readOptionalJsonBody } from '../request/body.ts';
import { parseQueryText, parseTimeout } from '../request/parameters.ts';
import { API, queryAddress } from '../response/addresses.ts';
import type { ApiResponse } from '../response/api-response.ts';
import { queryResponse } from '../response/query-json.ts';
import type { Api, Handler } from './handler.ts';
import { requestedQueryId } from './queries.ts';

/** Spec 4.8. The order of checks: body, id, text, parameters. */
export const runNamedQuery: Handler = async (request, api) => {
  const parameters = parseBindParameters(await readOptionalJsonBody(request.incoming, api.limits));
  const queryId = requestedQueryId(request);
  const oql = await api.grid.readQueryText(queryId);
  return respond(request, api, queryAddress(request.origin, queryId), { oql, queryId, parameters });
};

export const runAdhocQuery: Handler = (request, api) => {
  const oql = parseQueryText(request.query);
  if (oql === undefined) throw badParameter('Query parameter q, the OQL text, is missing');
  return respond(request, api, adhocAddress(request), { oql, parameters: [] });
};

export const postAdhocQuery: Handler = async (request, api) => {
  const query = parseAdhocBody(await readJsonBody(request.incoming, api.limits));
  return respond(request, api, adhocAddress(request), query);
};

function respond(
  request: ApiRequest,
  { grid }: Api,
  location: string,
  query: Omit<QueryRequest, 'timeoutMs' | 'signal'>,
): Promise<ApiResponse> {
  const timeoutMs = parseTimeout(request.query);
  const pieces = grid.runQuery({
    ...query,
    mayRead: readableRegions(request.principal),
    timeoutMs,
    signal: request.signal,
  });
  return queryResponse(pieces, ['Location', location]);
}

function adhocAddress(request: ApiRequest): string {
  return `${request.origin}${API}/queries/adhoc`;
}
