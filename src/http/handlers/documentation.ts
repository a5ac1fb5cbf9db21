// The service describes itself: the OpenAPI document, and a page to read it.

import { pathNotFound } from '../errors.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { isUnchanged } from '../request/preconditions.ts';
import {
  type ApiResponse,
  emptyResponse,
  jsonResponse,
  textResponse,
} from '../response/api-response.ts';
import type { Api, Handler } from './handler.ts';

/** The page may load from and talk to this service alone; the viewer's style holds `data:` icons. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FILE_HEADERS = [
  'Content-Security-Policy',
  CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  // Asked for again each time, answered with 304: an update of the service shows at once.
  'Cache-Control',
  'no-cache',
];

export const readOpenApi: Handler = (_request, { printOpenApi }) => jsonResponse(printOpenApi());

/** Whoever types in the address alone wants to see something. */
export const redirectToDocs: Handler = () => emptyResponse(302, ['Location', '/docs']);

export const readDocsPage: Handler = (request, api) => respondWithFile(request, api, 'page.html');

export const readDocsFile: Handler = (request, api) =>
  respondWithFile(request, api, request.segments[0] ?? '');

async function respondWithFile(
  request: ApiRequest,
  { documentation }: Api,
  name: string,
): Promise<ApiResponse> {
  const file = await documentation.find(name);
  if (file === undefined) throw pathNotFound(request.path);
  const headers = [...FILE_HEADERS, 'ETag', file.tag];
  if (isUnchanged(request.headers, file.tag)) return emptyResponse(304, headers);
  return textResponse(file.contentType, file.bytes, headers);
}
