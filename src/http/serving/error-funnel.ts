// Where every failure of a request ends: reported if nobody foresaw it, stripped of
// what whoever asked may not see, and made an answer (response/error-response.ts).

import type { Observe } from '../../observe/observation.ts';
import type { AccessLimits } from '../auth/access-rules.ts';
import { conceal } from '../auth/conceal.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { ApiResponse } from '../response/api-response.ts';
import { errorResponse, isUnforeseen } from '../response/error-response.ts';
import type { TraceMode } from '../response/error-trace.ts';

export interface FunnelOptions {
  readonly trace: TraceMode;
  readonly observe: Observe;
  /** Undefined while authentication is off: everybody may see everything. */
  readonly concealing: AccessLimits | undefined;
}

export class ErrorFunnel {
  readonly #options: FunnelOptions;

  constructor(options: FunnelOptions) {
    this.#options = options;
  }

  toResponse(error: unknown, request: ApiRequest): ApiResponse {
    const { concealing, trace } = this.#options;
    this.report(error, request);
    const shown = concealing === undefined ? error : conceal(error, request, concealing);
    return errorResponse(shown, {
      requestId: request.id,
      accept: request.headers.accept,
      trace,
    });
  }

  /** For a failure that comes too late to be an answer. */
  report(error: unknown, request: ApiRequest): void {
    if (!isUnforeseen(error)) return;
    this.#options.observe({ kind: 'request-failed', requestId: request.id, error });
  }
}
