// The header by which a client marks the repeats of a request.

import type { IncomingHttpHeaders } from 'node:http';
import { badIdempotencyKey } from '../errors.ts';

/** Visible characters and blanks; quotes around it, as of a structured field, are part of it. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/** Undefined when the request has none. */
export function parseIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  const key = Array.isArray(given) ? given.join(', ') : given;
  if (!KEY.test(key)) {
    throw badIdempotencyKey('Idempotency-Key must have 1 to 255 printable ASCII characters');
  }
  return key;
}

/** For a request that can be repeated but not answered from memory. */
export function refuseIdempotencyKey(headers: IncomingHttpHeaders, what: string): void {
  if (headers['idempotency-key'] !== undefined) {
    throw badIdempotencyKey(`Idempotency-Key is not taken by ${what}`);
  }
}
