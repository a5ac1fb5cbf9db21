// The Prefer header (RFC 7240): preferences of a client that the service may ignore.

import type { IncomingHttpHeaders } from 'node:http';

/** Whether `Prefer` has this preference, such as `return=representation`. */
export function prefers(headers: IncomingHttpHeaders, preference: string): boolean {
  const { prefer } = headers;
  if (prefer === undefined) return false;
  const preferences = (Array.isArray(prefer) ? prefer.join() : prefer).toLowerCase().split(',');
  return preferences.some((each) => each.split(';')[0]?.replaceAll(/[\s"]/g, '') === preference);
}
