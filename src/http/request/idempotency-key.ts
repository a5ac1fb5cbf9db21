// The header by which a client marks the repeats of a request.

import type { IncomingHttpHeaders } from 'node:http';
import { badIdempotencyKey } from '../errors.ts';
import { countHeaders, type RequestHead } from './request-head.ts';

/** Visible ASCII and blanks; surrounding quotes, as in a structured field, are part of the key. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/** Undefined when the request has none. */
export function parseIdempotencyKey({
  headers,
  rawHeaders,
}: Pick<RequestHead, 'headers' | 'rawHeaders'>): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  // Two headers joined by a comma would be a third key.
  if (countHeaders(rawHeaders, 'idempotency-key') > 1) {
    throw badIdempotencyKey('Idempotency-Key may be given once');
  }
  const key = String(header);
  if (!KEY.test(key)) {
    throw badIdempotencyKey('Idempotency-Key must have 1 to 255 printable ASCII characters');
  }
  return key;
}

/** For a request whose answer is not stored. */
export function refuseIdempotencyKey(headers: IncomingHttpHeaders, what: string): void {
  if (headers['idempotency-key'] !== undefined) {
    throw badIdempotencyKey(`Idempotency-Key is not accepted by ${what}`);
  }
}
