// Turns every failure of a request into an answer (response/error-response.ts): reports unexpected
// failures, and removes details that the login may not see.

import type { ErrorTrace, Observe } from '../../observe/observation.ts';
import { redactError } from '../auth/redact-error.ts';
import type { Intent } from '../intent/intent.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import type { ApiResponse } from '../response/api-response.ts';
import { errorCode, errorResponse } from '../response/error-response.ts';
import { findStoreFailure } from './store-failure.ts';

export interface FunnelOptions {
  readonly trace: ErrorTrace;
  readonly observe: Observe;
  /** `never` while authentication is off: there is nothing to hide. */
  readonly redacts: 'always' | 'never';
}

export class ErrorFunnel {
  readonly #options: FunnelOptions;

  constructor(options: FunnelOptions) {
    this.#options = options;
  }

  toResponse(error: unknown, request: IncomingRequest): ApiResponse {
    const { redacts, trace } = this.#options;
    this.report(error, request);
    request.failure = errorCode(error);
    const { intent, principal } = request;
    const shown = redacts === 'never' ? error : redactError(error, intent, principal);
    const { mount } = request;
    if (mount !== undefined) return mount.dialect.toErrorResponse(shown, request);
    return errorResponse(shown, {
      requestId: request.id,
      accept: request.headers.accept,
      trace,
      statuses: isSpecified(intent) ? 'specified' : 'by-cause',
      hints: isBeyondSpecification(request) ? 'always' : 'known',
    });
  }

  /** Reports a failure after the answer was sent. */
  report(error: unknown, request: IncomingRequest): void {
    const { observe } = this.#options;
    if (errorCode(error) === 'internal/error') {
      observe({ kind: 'request-failed', requestId: request.id, error });
    }
    const failure = findStoreFailure(error);
    if (failure !== undefined)
      observe({ kind: 'store-failure', requestId: request.id, ...failure });
  }
}

/**
 * The specification requires 500 for failed queries, even for mistakes of the client (4.8). Writes
 * of single entries answer 500 if the region is EMPTY.
 */
function isSpecified(intent: Intent | undefined): boolean {
  switch (intent?.kind) {
    case 'run-named-query':
    case 'run-adhoc-query':
      return intent.safe === undefined;
    case 'write-entries':
    case 'patch-entry':
      return true;
    default:
      return false;
  }
}

/** Sub-resources whose name begins with `_`; methods and headers that the specification lacks. */
function isBeyondSpecification({ headers, method, path }: IncomingRequest): boolean {
  if (method === 'PATCH' || method === 'QUERY' || /\/_[a-z]/.test(path)) return true;
  return headers['idempotency-key'] !== undefined;
}
