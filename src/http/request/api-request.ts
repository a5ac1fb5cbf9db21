// A request on its way to a handler: routed, not yet parsed. Handlers get this
// and nothing of the server below it.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../auth/principal.ts';
import type { QueryString } from './query-string.ts';
import type { RequestSource } from './request-head.ts';

export interface ApiRequest {
  readonly id: string;
  readonly method: string;
  /** The raw path, without the query part. */
  readonly path: string;
  /** Raw path segments that stand for the `{…}` of the route, in order. */
  readonly segments: readonly string[];
  readonly query: QueryString;
  readonly headers: IncomingHttpHeaders;
  /** For reading the body. */
  readonly incoming: RequestSource;
  /** Who asks; may do everything while authentication is off. */
  readonly principal: Principal;
  /** `http://host:port`, or `https://…`, as the client addressed us. */
  readonly origin: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}
