// The developer REST API of Apache Geode and GemFire.

import { emptyResponse } from '../../response/api-response.ts';
import type { Dialect } from '../dialect.ts';
import { toErrorResponse } from './error-answer.ts';
import { checkPath } from './firewall.ts';

/** The order in which Geode lists methods. */
const METHODS = ['PUT', 'DELETE', 'GET', 'HEAD', 'POST', 'OPTIONS'];

export const geodeDialect: Dialect = {
  /** A trailing slash is ignored everywhere. */
  toRoutePath(path) {
    checkPath(path);
    return path.endsWith('/') ? path.slice(0, -1) : path;
  },
  toErrorResponse,
  describeMethods(methods, headers) {
    const allowed = METHODS.filter((method) => method === 'OPTIONS' || methods.includes(method));
    return emptyResponse(200, ['Allow', allowed.join(','), ...headers]);
  },
};
