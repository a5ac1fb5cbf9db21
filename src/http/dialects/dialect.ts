// A dialect: another API of the same service. Requests under its roots are routed, admitted,
// permitted and counted like all others; the dialect parses and answers them.

import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerIntent } from '../handlers/handler.ts';
import type { GuardedIntent, Intent } from '../intent/intent.ts';
import type { Parse } from '../request/routed-request.ts';
import type { ApiResponse } from '../response/api-response.ts';
import type { Route } from '../router.ts';

/** The parts of a request that an error answer may use. */
export interface FailedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** `http://host:port` and the root of the dialect. */
  readonly base: string;
  /** Undefined when the request failed before it was parsed. */
  readonly intent: Intent | undefined;
  /** Whether the query part of the address names this parameter. */
  hasParameter(name: string): boolean;
}

export interface Dialect {
  /** The path by which the route is found; throws for paths that are never served. */
  toRoutePath(path: string): string;
  /** The answer to an error that the client may see as it is. */
  toErrorResponse(error: unknown, request: FailedRequest): ApiResponse;
  /** The answer to OPTIONS. */
  describeMethods(methods: readonly string[], headers: readonly string[]): ApiResponse;
}

/** It parses requests into the intents of the service, which pass the same permission check. */
export interface DialectRoute extends Route {
  readonly dialect: Dialect;
  readonly access: 'guarded';
  readonly parse: Parse<GuardedIntent>;
  readonly answer: AnswerIntent<GuardedIntent>;
}

/** A dialect at one of its roots, for example `/geode/v1`. */
export interface DialectMount {
  readonly root: string;
  readonly dialect: Dialect;
}
