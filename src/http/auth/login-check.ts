// Authentication (401), before authorisation (403) and handling. A handler checks
// whether the thing exists only after both.

import type { Observe } from '../../observe/observation.ts';
import { RequestError } from '../errors.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import type { Authenticator } from './authenticator.ts';
import type { Principal } from './principal.ts';

export class LoginCheck {
  readonly #authenticator: Authenticator;
  readonly #observe: Observe;

  constructor(authenticator: Authenticator, observe: Observe) {
    this.#authenticator = authenticator;
    this.#observe = observe;
  }

  /** The principal of the request; throws when its login is unknown. */
  async identify(request: IncomingRequest): Promise<Principal> {
    try {
      return await this.#authenticator.authenticate(request.incoming);
    } catch (error) {
      this.#reportFailure(error, request);
      throw error;
    }
  }

  /** A request without credentials is not a failed attempt: browsers and probes start that way. */
  #reportFailure(error: unknown, request: IncomingRequest): void {
    if (!(error instanceof RequestError)) return;
    const { code } = error;
    if (code === 'auth/login-failed' || code === 'auth/too-many-failures') {
      const address = request.incoming.socket.remoteAddress ?? '';
      const reason = error.details.loggedReason;
      this.#observe({
        kind: 'login-failed',
        requestId: request.id,
        address,
        code,
        ...(reason === undefined ? {} : { reason }),
      });
    } else if (code === 'auth/unavailable') {
      this.#observe({ kind: 'request-failed', requestId: request.id, error: error.cause });
    }
  }
}
