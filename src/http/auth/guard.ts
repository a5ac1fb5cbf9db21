// Between routing and handling: who asks, may they? 401, then 403, and only then
// does a handler look whether the thing exists.

import type { Observe } from '../../observe/observation.ts';
import { RequestError } from '../errors.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import { type Access, type AccessLimits, authorise } from './access-rules.ts';
import type { Authenticator } from './authenticator.ts';

export class Guard {
  readonly #authenticator: Authenticator;
  readonly #limits: AccessLimits;
  readonly #observe: Observe;

  constructor(authenticator: Authenticator, limits: AccessLimits, observe: Observe) {
    this.#authenticator = authenticator;
    this.#limits = limits;
    this.#observe = observe;
  }

  /** Sets the principal of the request, or throws. */
  async admit(needs: Access, request: IncomingRequest): Promise<void> {
    if (needs === 'public') return;
    try {
      request.principal = await this.#authenticator.authenticate(request.incoming);
    } catch (error) {
      this.#reportFailure(error, request);
      throw error;
    }
    authorise(needs, request, request.principal, this.#limits);
  }

  /** A request without any login is no attempt: browsers and probes begin so. */
  #reportFailure(error: unknown, request: IncomingRequest): void {
    if (!(error instanceof RequestError)) return;
    const { code } = error;
    if (code === 'auth/login-failed' || code === 'auth/too-many-failures') {
      const address = request.incoming.socket.remoteAddress ?? '';
      this.#observe({ kind: 'login-failed', requestId: request.id, address, code });
    } else if (code === 'auth/unavailable') {
      this.#observe({ kind: 'request-failed', requestId: request.id, error: error.cause });
    }
  }
}
