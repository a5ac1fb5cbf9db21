// Running queries, named and ad-hoc.

import type { QueryRequest } from '../../grid/index.ts';
import { readableRegions } from '../auth/principal.ts';
import { badParameter, notAcceptable } from '../errors.ts';
import { accepts } from '../request/accept.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseAdhocBody, parseBindParameters } from '../request/bind-parameters.ts';
import { readJsonBody, readOptionalJsonBody } from '../request/body.ts';
import { parseFlag, parseQueryText, parseTimeout } from '../request/parameters.ts';
import { API, queryAddress } from '../response/addresses.ts';
import { type ApiResponse, JSON_TYPE } from '../response/api-response.ts';
import { explanationResponse } from '../response/explanation.ts';
import { queryResponse } from '../response/query-json.ts';
import type { Api, Handler } from './handler.ts';
import { requestedQueryId } from './queries.ts';

/** Spec 4.8. The order of checks: body, id, text, parameters. */
export const runNamedQuery: Handler = async (request, api) => {
  // Not awaited where there is nothing to wait for: most queries came before, and their bodies are here.
  const body = readOptionalJsonBody(request.incoming, api.limits);
  const parameters = parseBindParameters(body instanceof Promise ? await body : body);
  const queryId = requestedQueryId(request);
  const text = api.grid.readQueryText(queryId);
  const oql = typeof text === 'string' ? text : await text;
  const location = queryAddress(request.origin, queryId);
  return await respond(request, api, location, { oql, queryId, parameters });
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

/** With `explain=true` the plan instead of the result; `analyze=true` runs the query for it. */
async function respond(
  request: ApiRequest,
  { grid }: Api,
  location: string,
  query: Omit<QueryRequest, 'mayRead' | 'timeoutMs' | 'signal'>,
): Promise<ApiResponse> {
  const whole: QueryRequest = {
    ...query,
    mayRead: readableRegions(request.principal),
    timeoutMs: parseTimeout(request.query),
    signal: new ClientSignal(request),
  };
  const analyze = parseFlag(request.query, 'analyze');
  if (parseFlag(request.query, 'explain') || analyze) {
    const explanation = await grid.explainQuery(whole, analyze ? 'analyze' : 'estimate');
    return explanationResponse(explanation, request.headers.accept);
  }
  requireJson(request.headers.accept);
  return queryResponse(await grid.answerQuery(whole), ['Location', location]);
}

/** A query that is over at once never asks, and then the connection is not watched either. */
class ClientSignal {
  readonly #request: ApiRequest;

  constructor(request: ApiRequest) {
    this.#request = request;
  }

  get aborted(): boolean {
    return this.#request.signal.aborted;
  }
}

/** The routes offer plain text too, but for explanations alone. */
function requireJson(accept: string | undefined): void {
  if (accept !== undefined && !accepts(accept, JSON_TYPE)) throw notAcceptable(accept, [JSON_TYPE]);
}

function adhocAddress(request: ApiRequest): string {
  return `${request.origin}${API}/queries/adhoc`;
}
