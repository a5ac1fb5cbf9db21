// The service describes itself: the OpenAPI document, and a page to read it.

import { pathNotFound } from '../errors.ts';
import { findUnchanged } from '../request/preconditions.ts';
import { emptyResponse, jsonResponse, textResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';

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

export const readOpenApi: Handler<'read-openapi'> = (_intent, { origin }, { printOpenApi }) =>
  jsonResponse(printOpenApi(origin));

/** Relative: the service may stand behind a path of a proxy. */
export const redirectToDocs: Handler<'redirect-to-docs'> = ({ location }) =>
  emptyResponse(302, ['Location', location]);

export const readDocsFile: Handler<'read-docs-file'> = async (intent, _request, api) => {
  const file = await api.documentation.find(intent.name);
  if (file === undefined) throw pathNotFound(`/docs/${intent.name}`);
  const unchanged = findUnchanged(intent.ifNoneMatch, file.tag);
  const headers = [...FILE_HEADERS, 'ETag', unchanged ?? file.tag];
  const answer =
    unchanged === undefined
      ? textResponse(file.contentType, file.bytes, headers)
      : emptyResponse(304, headers);
  return { ...answer, ownSecurityHeaders: true };
};
