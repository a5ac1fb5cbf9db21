// The OpenAPI 3.1 document, from the route table and the descriptions beside
// it. There is no second list of paths, methods or parameters that could drift.

import type { OwnRoute } from '../routes.ts';
import {
  type AnswerDescription,
  type BodyDescription,
  type ErrorDescription,
  HEADERS,
  type HeaderName,
  mapValues,
  type OperationDescription,
  type ParameterDescription,
  ref,
  TAGS,
} from './description.ts';
import { requireOperation } from './operations.ts';
import { pathParameters, pretty } from './parameters.ts';
import { schemas } from './schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** Errors that any request can get. */
const COMMON_ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is malformed: its encoding, a parameter, a header or the body.',
  403: 'A permission is missing, or a page of another site sent the request.',
  406: '`Accept` excludes every media type offered.',
  408: 'The request did not arrive in time.',
  414: 'The URL is too long.',
  417: '`Expect` has another value than `100-continue`.',
  421: '`Host` is not one of the names served.',
  431: 'There are too many headers, or they are too long.',
  500: 'The service failed to do it. The body holds a trace.',
};
/** When authentication is on. */
const LOGIN_ERRORS: Readonly<Record<number, string>> = {
  401: 'Authentication is on, and the login is missing or not valid.',
  429: 'Too many failed logins.',
};
/** Includes none, because authentication may be off. */
const SECURITY = [{}, { basic: [] }, { bearer: [] }, { apiKey: [] }];
const SECURITY_SCHEMES: Json = {
  basic: { type: 'http', scheme: 'basic', description: 'A user and a password.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a JWT.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key.' },
};
const BODY_ERRORS: Readonly<Record<number, string>> = {
  413: 'The body is too long, or a value in it.',
  415: 'The body is not `application/json` in UTF-8, or is compressed by another coding than `gzip` and `zstd`.',
};
const OVERLOAD_ERRORS: Readonly<Record<number, string>> = {
  503: 'Too many requests in flight, or the service is shutting down.',
};

const PROBLEM: Json = { 'application/problem+json': { schema: ref('Problem') } };
const API_VERSION = '1';
/** Replaced by the address of the service, which depends on the request. */
const SERVERS = [{ url: '/' }];

/** Prints the document as JSON text, for clients that find the service at an origin. */
export function createOpenApiPrinter(routes: readonly OwnRoute[]): (origin: string) => string {
  let printed: string | undefined;
  const servers = JSON.stringify({ servers: SERVERS }).slice(1, -1);
  return (origin) => {
    printed ??= JSON.stringify(buildOpenApi(routes));
    return printed.replace(servers, () => `"servers":${JSON.stringify([{ url: origin }])}`);
  };
}

export function buildOpenApi(routes: readonly OwnRoute[]): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'gridkeep',
      version: API_VERSION,
      summary: 'Regions of JSON documents and stored OQL queries over plain HTTP.',
      description:
        'Every GET answers HEAD too, unless its description says otherwise; HEAD never has a body. ' +
        'A path without the method asked for answers 405 with `Allow`. The method QUERY (RFC 10008), ' +
        'which OpenAPI 3.1 has no field for, is described under `x-query-paths`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: SERVERS,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    ...toPaths(routes),
    components: toComponents(),
  };
}

function toPaths(routes: readonly OwnRoute[]): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const queryPaths: Record<string, unknown> = {};
  for (const route of routes) {
    const described = requireOperation(route.operation);
    // OpenAPI 3.1 has no field for QUERY in a path, as 3.2 has.
    if (route.method === 'QUERY') {
      queryPaths[route.path] = toOperation(route, described, route.method);
      continue;
    }
    const item = paths[route.path] ?? {};
    paths[route.path] = item;
    item[route.method.toLowerCase()] = toOperation(route, described, route.method);
    if (described.describesHead === true) item['head'] = toOperation(route, described, 'HEAD');
  }
  return { paths, 'x-query-paths': queryPaths };
}

/** The parts that operations refer to by name. */
function toComponents(): Json {
  const errors = { ...COMMON_ERRORS, ...LOGIN_ERRORS, ...BODY_ERRORS, ...OVERLOAD_ERRORS };
  return {
    schemas,
    headers: mapValues(HEADERS, (description, name) => ({
      description,
      schema: {
        type: name === 'Resource-Count' || name === 'Retry-After' ? 'integer' : 'string',
      },
    })),
    responses: mapValues(errors, (text, status) => toError(text, status, true)),
    securitySchemes: SECURITY_SCHEMES,
  };
}

function toOperation(route: OwnRoute, described: OperationDescription, method: string): Json {
  const { description, summary, tag } = described;
  const hasBody = method !== 'HEAD';
  const isJson = Object.values(described.answers).some((answer) =>
    Object.hasOwn(answer.content ?? {}, 'application/json'),
  );
  return {
    operationId: method === route.method ? route.operation : `${route.operation}Head`,
    tags: [tag],
    summary,
    security: route.access === 'public' ? [] : SECURITY,
    ...(description === undefined ? {} : { description }),
    parameters: [
      ...toPathParameters(route.path, method),
      ...(described.parameters ?? []).map(toParameter),
      ...(isJson ? [toParameter(pretty)] : []),
    ],
    ...(described.body === undefined ? {} : { requestBody: toRequestBody(described.body) }),
    responses: {
      ...mapValues(described.answers, toAnswer),
      ...toErrors(route, described, hasBody),
    },
  };
}

function toPathParameters(path: string, method: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const described = pathParameters[name];
    if (described === undefined) throw new RangeError(`Path parameter ${name} is not described`);
    const { absent, example, ...parameter } = described;
    // The page sends an example with one click, so examples of DELETE must not remove anything.
    const safeExample = method === 'DELETE' ? absent : example;
    return { name, in: 'path', required: true, ...parameter, example: safeExample };
  });
}

function toParameter({ example, required, ...parameter }: ParameterDescription): Json {
  return {
    ...parameter,
    ...(required === undefined ? {} : { required }),
    ...(example === undefined ? {} : { example }),
  };
}

function toRequestBody(body: BodyDescription): Json {
  const { description, mediaTypes = { 'application/json': body }, optional } = body;
  return {
    description,
    required: optional !== true,
    content: mapValues(mediaTypes, ({ examples, schema }) => ({
      schema,
      ...(examples === undefined ? {} : { examples: mapValues(examples, (value) => ({ value })) }),
    })),
  };
}

function toAnswer({ content, description, headers = [] }: AnswerDescription): Json {
  return {
    description,
    headers: toHeaderRefs([...headers, 'X-Request-Id']),
    ...(content === undefined ? {} : { content }),
  };
}

function toErrors(route: OwnRoute, described: OperationDescription, hasBody: boolean): Json {
  const own = described.errors ?? {};
  const common = {
    ...COMMON_ERRORS,
    ...(route.access === 'public' ? {} : LOGIN_ERRORS),
    ...(described.body === undefined ? {} : BODY_ERRORS),
    ...(route.always === true ? {} : OVERLOAD_ERRORS),
  };
  const shared = mapValues(common, (_, status) => ({ $ref: `#/components/responses/${status}` }));
  return { ...shared, ...mapValues(own, (error, status) => toError(error, status, hasBody)) };
}

function toError(error: string | ErrorDescription, status: string, hasBody: boolean): Json {
  const {
    description,
    headers: own = [],
    ...content
  } = typeof error === 'string' ? { description: error, schema: ref('Error') } : error;
  const headers: HeaderName[] = [...own, 'X-Request-Id'];
  if (status === '503' || status === '429') headers.push('Retry-After');
  if (status === '401') headers.push('WWW-Authenticate');
  if (status === '415') headers.push('Accept-Encoding');
  return {
    description,
    headers: toHeaderRefs(headers),
    // Plain JSON first: generated clients accept the first type that they know.
    ...(hasBody ? { content: { 'application/json': content, ...PROBLEM } } : {}),
  };
}

function toHeaderRefs(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
