// Errors in Geode's form: status, member and message. Errors unknown to Geode (logins, permissions,
// limits, load) keep our status and message, in Geode's form.

import { EngineError, GridError, OqlError } from '../../../grid/index.ts';
import { RequestError } from '../../errors.ts';
import type { ApiResponse } from '../../response/api-response.ts';
import { errorResponse } from '../../response/error-response.ts';
import { JSON_TYPE } from '../../response/media-types.ts';
import type { FailedRequest } from '../dialect.ts';
import { addressHeader, toAddress, writtenAddress } from './addresses.ts';
import { keyMissing, notSupported } from './answer-entries.ts';
import { RejectedPath } from './firewall.ts';
import { answerBadRequest, failOperation, GeodeError, refuse } from './geode-error.ts';
import type { GeodeWriteEntries } from './geode-intent.ts';
import { geodeJson } from './geode-response.ts';
import { errorContentType, GEODE_JSON } from './negotiation.ts';
import { missingParameter } from './parse-entries.ts';
import { explainQueryFailure } from './query-failure.ts';

export function toErrorResponse(error: unknown, request: FailedRequest): ApiResponse {
  if (error instanceof RejectedPath) return containerError(request, 500, 'geode', error.reason);
  const answer = error instanceof GeodeError ? error : translate(error, request);
  if (answer instanceof GeodeError) return toResponse(answer, request);
  return answer ?? inGeodeForm(error, request);
}

/** Geode's words for one of our errors, or its whole answer; undefined where it has none. */
function translate(error: unknown, request: FailedRequest): GeodeError | ApiResponse | undefined {
  if (error instanceof OqlError) return explainQueryFailure(error, request.intent);
  if (error instanceof GridError) return translateGridError(error, request);
  if (error instanceof RequestError) return translateRequestError(error, request);
  const isGone = error instanceof EngineError && error.code === 'engine/region-gone';
  return isGone ? regionNotFound(regionOf(request)) : undefined;
}

function translateRequestError(
  error: RequestError,
  request: FailedRequest,
): GeodeError | ApiResponse | undefined {
  switch (error.code) {
    case 'request/path-not-found':
      return reservedRegion(request) ?? containerError(request, 404, 'default');
    case 'request/method-not-allowed':
      return reservedRegion(request) ?? methodNotSupported(error, request);
    case 'request/bad-encoding':
      return {
        status: 400,
        contentType: 'text/html;charset=iso-8859-1',
        headers: [],
        body: '<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>',
      };
    default:
      return undefined;
  }
}

function translateGridError(
  error: GridError,
  request: FailedRequest,
): GeodeError | ApiResponse | undefined {
  const region = regionOf(request);
  switch (error.code) {
    case 'grid/region-not-found':
      return regionNotFound(region);
    case 'grid/keys-missing':
      return keysMissing(error, request);
    case 'grid/keys-not-found':
      return keyMissing(error.details.keys?.[0] ?? '', region);
    case 'grid/key-exists':
    case 'grid/value-differs':
    case 'grid/query-exists':
      return conflict(error, request);
    case 'grid/operation-not-supported':
      return notSupported(region);
    case 'grid/bad-key':
    case 'grid/bad-value':
      return failOperation(
        'request/bad-body',
        `Resource (${region}) configuration does not allow to store specified key or value type in this region!`,
      );
    case 'grid/query-not-found':
      return refuse(
        'request/path-not-found',
        404,
        `Named query (${queryIdOf(request)}) does not exist!`,
      );
    case 'grid/bad-query-id':
      return failOperation(
        'request/bad-parameter',
        'Specified queryId or query string is not supported!',
      );
    default:
      return undefined;
  }
}

function regionNotFound(region: string): GeodeError {
  const text = `The Region identified by name (${region}) could not be found!`;
  return refuse('request/path-not-found', 404, text);
}

/** REPLACE names the address without an entry, a read the missing keys. */
function keysMissing(error: GridError, { base, intent }: FailedRequest): GeodeError {
  if (intent?.kind !== 'write-entries') return answerBadRequest('request/bad-keys', error.message);
  const address = toAddress(base, intent.region, intent.keys[0] ?? '');
  return refuse('request/bad-keys', 404, `No resource at (${address}) exists!`);
}

/** 409 shows the conflicting value, unless the client may not see it. */
function conflict(
  { code, details: { current }, message }: GridError,
  request: FailedRequest,
): GeodeError | ApiResponse {
  if (current === undefined) return refuse('request/bad-body', 409, message);
  const headers = addressHeader('Location', conflictAddress(request));
  if (code !== 'grid/value-differs') return geodeJson(current, headers, 409);
  return { status: 409, contentType: GEODE_JSON, headers, body: current };
}

function conflictAddress({ base, intent }: FailedRequest): string {
  switch (intent?.kind) {
    case 'add-entry':
      return toAddress(base, intent.region, intent.key ?? '');
    case 'write-entries':
      // The only parser of this dialect that creates one stores the keys as they came.
      return writtenAddress(intent as GeodeWriteEntries, base);
    case 'create-query':
      return toAddress(base, 'queries', intent.queryId ?? '');
    default:
      return base;
  }
}

/** Words that begin other paths; as names of regions they are never found. */
const RESERVED = ['queries', 'functions', 'ping', 'servers'];
const METHODS_BY_DEPTH: readonly (readonly string[])[] = [
  [],
  ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  ['GET', 'HEAD', 'PUT', 'DELETE'],
];

/** A path of a region with a reserved name. */
function reservedRegion(request: FailedRequest): GeodeError | undefined {
  const below = request.path.split('/').slice(3).filter(Boolean);
  const [name = ''] = below;
  const methods = METHODS_BY_DEPTH[below.length] ?? [];
  if (!RESERVED.includes(name) || !methods.includes(request.method)) return undefined;
  const lacksKeys = request.method === 'PUT' && below.length === 1 && !request.hasParameter('keys');
  return lacksKeys ? missingParameter('keys', 'String[]') : regionNotFound(name);
}

function methodNotSupported(error: RequestError, { headers, method }: FailedRequest): ApiResponse {
  return {
    status: 405,
    contentType: errorContentType(headers.accept),
    // `Allow`; Geode's list has no blanks.
    headers: (error.details.headers ?? []).map((text) => text.replaceAll(', ', ',')),
    body: JSON.stringify({ cause: `Request method '${method}' not supported` }),
  };
}

/** The messages of Geode's servlet container, for requests that never reach Geode. */
function containerError(
  { path }: FailedRequest,
  status: 404 | 500,
  servlet: 'default' | 'geode',
  cause?: string,
): ApiResponse {
  const members = {
    servlet,
    ...(cause === undefined ? {} : { cause0: cause }),
    message: cause ?? 'Not Found',
    url: path,
    status: String(status),
  };
  const lines = Object.entries(members).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  return {
    status,
    contentType: JSON_TYPE,
    headers: [],
    body: `{\n${lines.join(',\n')}\n}`,
  };
}

function toResponse(error: GeodeError, { headers: { accept } }: FailedRequest): ApiResponse {
  const text = JSON.stringify(error.message);
  return {
    status: error.status,
    contentType: error.isAnswer ? GEODE_JSON : errorContentType(accept),
    headers: [],
    body: error.member === 'cause' ? `{"cause":${text}}` : `{"message" : ${text}}`,
  };
}

/** Our status and headers, with our message as the cause. */
function inGeodeForm(error: unknown, { headers: { accept } }: FailedRequest): ApiResponse {
  const answer = errorResponse(error, { requestId: '', accept: undefined, trace: 'off' });
  const { cause } = JSON.parse(String(answer.body)) as { readonly cause?: string }; // our own form
  return { ...answer, contentType: errorContentType(accept), body: JSON.stringify({ cause }) };
}

function regionOf({ intent }: FailedRequest): string {
  return intent !== undefined && 'region' in intent ? intent.region : '';
}

function queryIdOf({ intent }: FailedRequest): string {
  return intent !== undefined && 'queryId' in intent ? (intent.queryId ?? '') : '';
}
