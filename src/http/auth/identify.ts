// Authentication (401), before authorisation (403) and handling. A handler checks
// whether the thing exists only after both.

import type { Observe } from '../../observe/observation.ts';
import { RequestError } from '../errors.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import type { Authenticator } from './authenticator.ts';
import type { Principal } from './principal.ts';

/** The principal of the request; throws when its login is unknown. */
export async function identify(
  request: IncomingRequest,
  authenticator: Authenticator,
  observe: Observe,
): Promise<Principal> {
  try {
    return await authenticator.authenticate(request.incoming);
  } catch (error) {
    if (error instanceof RequestError) reportFailure(error, request, observe);
    throw error;
  }
}

/** A request without credentials is not a failed attempt: browsers and probes start that way. */
function reportFailure(error: RequestError, request: IncomingRequest, observe: Observe): void {
  const { code } = error;
  if (code === 'auth/login-failed' || code === 'auth/too-many-failures') {
    const address = request.incoming.socket.remoteAddress ?? '';
    const reason = error.details.loggedReason;
    observe({
      kind: 'login-failed',
      requestId: request.id,
      address,
      code,
      ...(reason === undefined ? {} : { reason }),
    });
  } else if (code === 'auth/unavailable') {
    observe({ kind: 'request-failed', requestId: request.id, error: error.cause });
  }
}
