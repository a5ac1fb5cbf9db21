// Queries, named and ad hoc, answered as Geode does.

import { type Grid, GridError, OqlError, type QueryRequest } from '../../../grid/index.ts';
import type { ResultForm } from '../../../value/result-form.ts';
import { maySeeQuery, readableRegions } from '../../auth/principal.ts';
import type { AnswerIntent, Api } from '../../handlers/handler.ts';
import type { RunNamedQuery, UpdateQuery } from '../../intent/intent.ts';
import type { ApiRequest } from '../../request/api-request.ts';
import type { BodyLimits } from '../../request/body.ts';
import { type ApiResponse, emptyResponse } from '../../response/api-response.ts';
import { queryResponse } from '../../response/query-json.ts';
import { addressHeader, toAddress } from './addresses.ts';
import { parseBindParameters } from './bind-parameters.ts';
import { missingBody } from './document-body.ts';
import { failOperation, refuse } from './geode-error.ts';
import type { GeodeCreateQuery, GeodeRunAdhocQuery } from './geode-intent.ts';
import { geodeJson } from './geode-response.ts';
import { hasText } from './parameters.ts';

/** UNDEFINED is shown as the fields of its Java object. */
const GEODE_FORM: ResultForm = {
  missing: '{"serializationVersions":null,"dsfid":31}',
  typeName: '@type',
  nonFinite: 'text',
};

const RUN_NAMED_QUERY =
  'org.springframework.http.ResponseEntity<java.lang.String> org.apache.geode.rest.internal.web' +
  '.controllers.QueryAccessController.runNamedQuery(java.lang.String,java.lang.String)';

export const listQueries: AnswerIntent<unknown> = async (_intent, request, { grid }) => {
  const queries = await grid.listQueries((id) => maySeeQuery(request.principal, id));
  const headers = addressHeader('Location', toAddress(request.base, 'queries'));
  return geodeJson(`{"queries":[${queries.join(',')}]}`, headers);
};

export const createQuery: AnswerIntent<GeodeCreateQuery> = async (
  { oql, queryId: id },
  request,
  { grid, limits },
) => {
  const text = await requireQueryText(oql, request, limits);
  await grid.createQuery({ id, oql: text });
  return emptyResponse(201, addressHeader('Location', toAddress(request.base, 'queries', id)));
};

export const updateQuery: AnswerIntent<UpdateQuery> = async (
  { oql, queryId: id },
  request,
  { grid, limits },
) => {
  await grid.updateQuery({ id, oql: await requireQueryText(oql, request, limits) });
  return emptyResponse(200);
};

export const runNamedQuery: AnswerIntent<RunNamedQuery> = async ({ queryId }, request, api) => {
  const bytes = await request.readBytes(api.limits);
  if (bytes === undefined) throw missingBody(RUN_NAMED_QUERY);
  const parameters = await parseBindParameters(bytes, api.limits);
  const oql = await readText(queryId, api);
  return respond({ oql, queryId, parameters }, request, api);
};

export const runAdhocQuery: AnswerIntent<GeodeRunAdhocQuery> = ({ oql }, request, api) => {
  if (oql === '') {
    throw refuse('request/bad-query-text', 500, 'The query string must not be empty');
  }
  const unexpected = findForbiddenInName(oql);
  if (unexpected !== undefined) {
    const text = `Syntax error in query: expecting '"', found '${unexpected}'`;
    throw refuse('request/bad-query-text', 500, text);
  }
  return respond({ oql, parameters: [] }, request, api);
};

const QUOTED = /'[^']*'|"[^"]*(?:"|$)/g;

/** The first character that Geode does not accept between double quotes, where we accept any name. */
function findForbiddenInName(oql: string): string | undefined {
  for (const [text] of oql.matchAll(QUOTED)) {
    if (text.startsWith("'")) continue;
    const forbidden = /[^\p{L}\p{N}_$]/u.exec(text.slice(1));
    if (forbidden === null) return '<EOF>';
    if (forbidden[0] !== '"') return forbidden[0];
  }
  return undefined;
}

/** The message differs between running and changing a query that does not exist. */
async function readText(queryId: string, { grid }: Api): Promise<string> {
  try {
    return await grid.readQueryText(queryId);
  } catch (error) {
    if (!(error instanceof GridError) || error.code !== 'grid/query-not-found') throw error;
    throw refuse('request/path-not-found', 404, `No Query with ID (${queryId}) was found!`);
  }
}

async function respond(
  query: Pick<QueryRequest, 'oql' | 'parameters' | 'queryId'>,
  request: ApiRequest,
  { grid }: Api,
): Promise<ApiResponse> {
  const queryRequest: QueryRequest = {
    ...query,
    surplus: 'ignored',
    form: GEODE_FORM,
    mayRead: readableRegions(request.principal),
    signal: request,
  };
  const headers = addressHeader('Location', toAddress(request.base, 'queries', query.oql));
  return geodeJson(await rowsOf(queryRequest, grid), headers);
}

/** An EMPTY region has no rows; our own API refuses to query it. */
async function rowsOf(query: QueryRequest, grid: Grid): Promise<JsonText> {
  try {
    const { body } = await queryResponse(await grid.answerQuery(query), []);
    return body ?? '[]';
  } catch (error) {
    if (!(error instanceof OqlError) || error.code !== 'oql/region-not-permitted') throw error;
    return '[]';
  }
}

type JsonText = Exclude<ApiResponse['body'], undefined>;

/** In `q`, or in the body whatever its type. */
async function requireQueryText(
  inAddress: string,
  request: ApiRequest,
  limits: BodyLimits,
): Promise<string> {
  const inBody = (await request.readBytes(limits))?.toString('utf8');
  if (inAddress !== '') return inAddress;
  if (hasText(inBody)) return inBody;
  throw failOperation(
    'request/bad-query-text',
    'could not process null value specified in query String',
  );
}
