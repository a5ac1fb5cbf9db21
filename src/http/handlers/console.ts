// The web console: one page and its assets. It reads everything through the API, with the login of
// its user.

import { pathNotFound } from '../errors.ts';
import { emptyResponse } from '../response/api-response.ts';
import { staticFileResponse } from '../response/static-file.ts';
import type { Handler } from './handler.ts';

/** As the build names files: `overview-BgHu2-Fx.js`. */
const HASHED_NAME = /-[\w-]{8}\.\w+$/;

/** Relative, because a proxy may serve it under a path. */
export const redirectToPage: Handler<'redirect-to-page'> = ({ location }) =>
  emptyResponse(302, ['Location', location]);

export const readConsolePage: Handler<'read-console-page'> = async (intent, _request, api) => {
  const page = await api.console.findPage();
  if (page === undefined) throw pathNotFound('/console/');
  return staticFileResponse(page, { caching: 'revalidate', ifNoneMatch: intent.ifNoneMatch });
};

export const readConsoleAsset: Handler<'read-console-asset'> = async (intent, _request, api) => {
  const asset = await api.console.findAsset(intent.name);
  if (asset === undefined) throw pathNotFound(`/console/assets/${intent.name}`);
  const caching = HASHED_NAME.test(intent.name) ? 'immutable' : 'revalidate';
  return staticFileResponse(asset, { caching, ifNoneMatch: intent.ifNoneMatch });
};
