// Parses the credentials of a request: HTTP Basic, or a bearer token, which is an API key or a JWT.
// This file verifies nothing.

import { malformed } from '../errors.ts';
import { countHeaders, type RequestHead } from '../request/request-head.ts';

export type Credentials =
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string }
  /** Credentials that cannot be parsed. */
  | { readonly kind: 'unreadable' };

/** The raw text of the credentials, or undefined when there are none. */
export function findCredentials(incoming: RequestHead): string | undefined {
  const { authorization, 'x-api-key': apiKey } = incoming.headers;
  // Node returns the first of several headers; a proxy may have checked another one.
  if (countHeaders(incoming.rawHeaders, 'authorization', 'x-api-key') > 1) {
    throw malformed('A request may carry one login only');
  }
  if (authorization !== undefined) return authorization;
  return typeof apiKey === 'string' ? `Bearer ${apiKey}` : undefined;
}

export function parseCredentials(text: string): Credentials {
  const [, scheme = '', token = ''] = /^([\w-]+) +([\w.~+/=-]+) *$/.exec(text) ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic':
      return parseBasic(token);
    case 'bearer':
      return { kind: 'bearer', token };
    default:
      return { kind: 'unreadable' };
  }
}

/** RFC 7617: a user's name has no colon, a password may. */
function parseBasic(encoded: string): Credentials {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return { kind: 'unreadable' };
  return { kind: 'basic', user: text.slice(0, colon), password: text.slice(colon + 1) };
}
