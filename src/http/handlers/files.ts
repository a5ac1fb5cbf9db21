// The OpenAPI document, the page that shows it, and the web console. The console reads everything
// through the API, with the login of its user.

import { pathNotFound } from '../errors.ts';
import { blankResponse, jsonResponse } from '../response/api-response.ts';
import { staticFileResponse } from '../response/static-file.ts';
import type { Handler } from './handler.ts';

/** As the build of the console names files: `overview-BgHu2-Fx.js`. */
const HASHED_NAME = /^assets\/.*-[\w-]{8}\.\w+$/;

export const readOpenApi: Handler<'read-openapi'> = (_intent, { origin }, { printOpenApi }) =>
  jsonResponse(printOpenApi(origin));

/** Relative, because a proxy may serve it under a path. */
export const redirectToPage: Handler<'redirect-to-page'> = ({ location }) =>
  blankResponse(302, ['Location', location]);

export const readFile: Handler<'read-file'> = async (
  { ifNoneMatch, name, site },
  _request,
  api,
) => {
  const file = await api.files[site].find(name);
  if (file === undefined) throw pathNotFound(`/${site}/${name}`);
  const caching = HASHED_NAME.test(name) ? 'immutable' : 'revalidate';
  return staticFileResponse(file, { caching, ifNoneMatch });
};
