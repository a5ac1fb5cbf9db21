// Running queries, named and ad-hoc.

import type { BegunQuery, Grid, QueryRequest } from '../../grid/index.ts';
import { readableRegions } from '../auth/principal.ts';
import type { QueryRun } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseAdhocBody, parseBindParameters } from '../request/bind-parameters.ts';
import { queryAddress } from '../response/addresses.ts';
import { type ApiResponse, elementType } from '../response/api-response.ts';
import { explanationResponse } from '../response/explanation.ts';
import { holdWhole } from '../response/hold-whole.ts';
import { queryResponse } from '../response/query-json.ts';
import { printCsv, printNdjson } from '../response/query-rows.ts';
import { warningHeader } from '../response/query-warnings.ts';
import { ClientSignal } from './client-signal.ts';
import type { Api, Handler } from './handler.ts';

/** Spec 4.8. The order of checks: body, id, text, parameters. */
export const runNamedQuery: Handler<'run-named-query'> = async (intent, request, api) => {
  // Not awaited where there is nothing to wait for: most queries came before, and their bodies are here.
  const body = request.readOptionalJson(api.limits);
  const parameters = parseBindParameters(body instanceof Promise ? await body : body);
  const { queryId } = intent;
  const text = api.grid.readQueryText(queryId);
  const oql = typeof text === 'string' ? text : await text;
  return await respond(intent, request, api, { oql, queryId, parameters });
};

export const runAdhocQuery: Handler<'run-adhoc-query'> = async (intent, request, api) => {
  const { oql } = intent;
  const query =
    oql === undefined
      ? parseAdhocBody(await request.readJson(api.limits))
      : { oql, parameters: [] };
  return await respond(intent, request, api, query);
};

async function respond(
  run: QueryRun,
  request: ApiRequest,
  { grid }: Api,
  query: Pick<QueryRequest, 'oql' | 'queryId' | 'parameters'>,
): Promise<ApiResponse> {
  const headers = ['Location', queryAddress(request.base, query.queryId ?? ADHOC)];
  const whole: QueryRequest = {
    ...query,
    isStrict: run.isStrict,
    onWarnings: (warnings) => headers.push(...warningHeader(warnings)),
    mayRead: readableRegions(request.principal),
    timeoutMs: run.timeoutMs,
    at: run.at,
    signal: new ClientSignal(request),
  };
  if (run.answer !== 'rows') {
    const explanation = await grid.explainQuery(whole, run.answer);
    return explanationResponse(explanation, run.planType);
  }
  if (run.form === 'json') return queryResponse(await grid.answerQuery(whole), headers);
  return respondInLines(run, grid, whole, headers);
}

/** `headers` may get more until the first row is there. */
function respondInLines(
  { end, form }: QueryRun,
  grid: Grid,
  query: QueryRequest,
  headers: string[],
): Promise<ApiResponse> {
  let begun: BegunQuery | undefined;
  const onBegin = (facts: BegunQuery): void => {
    begun = facts;
  };
  const pieces = grid.runQuery({ ...query, onBegin });
  headers.unshift('Content-Type', elementType(form));
  if (end === 'preferred') headers.push('Preference-Applied', 'trailer');
  const body =
    form === 'csv'
      ? printCsv(pieces, () => begun)
      : printNdjson(pieces, end === 'none' ? undefined : () => begun);
  return holdWhole({ status: 200, headers, body });
}

/** Stands for the id of a query that has none. */
const ADHOC = 'adhoc';
