// Running queries, named and ad-hoc.

import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { inspect } from 'node:util';
import {
  andThen,
  type BegunQuery,
  type Grid,
  type MaybePromise,
  type ParameterRequest,
  type QueryRequest,
} from '../../grid/index.ts';
import { readableRegions } from '../auth/principal.ts';
import { badBody, noBody } from '../errors.ts';
import type { QueryOptions, RunAdhocQuery } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseAdhocBody, parseBindParameters } from '../request/bind-parameters.ts';
import { findUnchanged } from '../request/preconditions.ts';
import { MAX_CONTENT_LOCATION, queryAddress } from '../response/addresses.ts';
import { type ApiResponse, emptyResponse } from '../response/api-response.ts';
import { bufferIfShort } from '../response/begin-stream.ts';
import { explanationResponse } from '../response/explanation.ts';
import { elementType } from '../response/media-types.ts';
import { queryResponse } from '../response/query-json.ts';
import { printCsv, printNdjson } from '../response/query-rows.ts';
import { warningHeader } from '../response/query-warnings.ts';
import type { Api, Handler } from './handler.ts';

/** Spec 4.8. The order of checks: body, id, text, parameters. */
export const runNamedQuery: Handler<'run-named-query'> = (intent, request, api) =>
  andThen(request.readOptionalJson(api.limits), (body) => {
    const parameters = parseBindParameters(body);
    const { queryId } = intent;
    return andThen(api.grid.readQueryText(queryId), (oql) =>
      respond(intent, request, api, { oql, queryId, parameters }),
    );
  });

export const runAdhocQuery: Handler<'run-adhoc-query'> = (intent, request, api) => {
  const { oql } = intent;
  const query = oql === undefined ? readAdhoc(intent, request, api) : { oql, parameters: [] };
  return andThen(query, (given) => respond(intent, request, api, given));
};

type GivenQuery = Pick<QueryRequest, 'oql' | 'queryId' | 'parameters'>;

async function readAdhoc(
  { safe }: RunAdhocQuery,
  request: ApiRequest,
  { limits }: Api,
): Promise<GivenQuery> {
  if (safe?.content !== 'oql') return parseAdhocBody(await request.readJson(limits));
  const bytes = await request.readBytes(limits);
  if (bytes === undefined) throw noBody('the text of a query as body');
  if (!isUtf8(bytes)) throw badBody('The text of a query must be UTF-8');
  return { oql: bytes.toString(), parameters: [] };
}

function respond(
  run: QueryOptions,
  request: ApiRequest,
  { grid }: Api,
  query: GivenQuery,
): MaybePromise<ApiResponse> {
  const headers =
    run.safe === undefined
      ? ['Location', queryAddress(request.base, query.queryId ?? ADHOC)]
      : [...locationOf(request, query, run.at)];
  const queryRequest: QueryRequest = {
    ...query,
    isStrict: run.isStrict,
    onWarnings: (warnings) => headers.push(...warningHeader(warnings)),
    mayRead: readableRegions(request.principal),
    timeoutMs: run.timeoutMs,
    at: run.at,
    signal: request,
  };
  if (run.answer !== 'rows') {
    return andThen(grid.explainQuery(queryRequest, run.answer), (explanation) =>
      explanationResponse(explanation, run.planType),
    );
  }
  const sendRows = (): MaybePromise<ApiResponse> =>
    run.form === 'json'
      ? andThen(grid.answerQuery(queryRequest), (answer) => queryResponse(answer, headers))
      : respondInLines(run, grid, queryRequest, headers);
  const { safe } = run;
  if (safe === undefined || run.at !== undefined) return sendRows();
  return andThen(grid.describeState(queryRequest), (state) => {
    const tag = resultTag(run, query, state);
    const unchanged = tag && findUnchanged(safe.ifNoneMatch, tag);
    if (tag !== undefined) headers.push('ETag', `W/${tag}`);
    return unchanged === undefined ? sendRows() : emptyResponse(304, headers);
  });
}

/** The tag of a result: it changes with the query, the form, and the contents of its regions. */
function resultTag(
  { end, form, isStrict }: QueryOptions,
  { oql, parameters }: GivenQuery,
  state: string | undefined,
): string | undefined {
  if (state === undefined) return undefined;
  const options = { depth: null, maxArrayLength: null, maxStringLength: null };
  const print = (parameter: ParameterRequest): string => inspect(parameter, options);
  const parts = [oql, form, end, isStrict, state, ...parameters.map(print)];
  return `"${hash('sha256', JSON.stringify(parts), 'base64url')}"`;
}

/** The address of an equivalent GET, if there is one. */
function locationOf(
  { base }: ApiRequest,
  { oql, parameters, queryId }: GivenQuery,
  at: QueryOptions['at'],
): readonly string[] {
  if (queryId !== undefined || parameters.length > 0) return [];
  const moment =
    at && `&at=${at.kind === 'time' ? new Date(at.timeMs).toISOString() : at.sequence}`;
  const address = `${base}/queries/${ADHOC}?q=${encodeURIComponent(oql)}${moment ?? ''}`;
  return address.length > MAX_CONTENT_LOCATION ? [] : ['Location', address];
}

/** `headers` may still grow until the first row arrives. */
function respondInLines(
  { end, form }: QueryOptions,
  grid: Grid,
  query: QueryRequest,
  headers: string[],
): Promise<ApiResponse> {
  let begun: BegunQuery | undefined;
  const onBegin = (facts: BegunQuery): void => {
    begun = facts;
  };
  const pieces = grid.runQuery({ ...query, onBegin });
  if (end === 'preferred') headers.push('Preference-Applied', 'trailer');
  const body =
    form === 'csv'
      ? printCsv(pieces, () => begun)
      : printNdjson(pieces, end === 'none' ? undefined : () => begun);
  return bufferIfShort({ status: 200, contentType: elementType(form), headers, body });
}

/** The id shown for a query without one. */
const ADHOC = 'adhoc';
