// The Prefer header (RFC 7240): wishes of a client that the service may ignore.

import type { IncomingHttpHeaders } from 'node:http';

/** Whether `Prefer` names this wish, such as `return=representation`. */
export function prefers(headers: IncomingHttpHeaders, wish: string): boolean {
  const { prefer } = headers;
  if (prefer === undefined) return false;
  const wishes = (Array.isArray(prefer) ? prefer.join() : prefer).toLowerCase().split(',');
  return wishes.some((each) => each.split(';')[0]?.replaceAll(/[\s"]/g, '') === wish);
}
