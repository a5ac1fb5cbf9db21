// How a body is framed beyond its length. Node accepts every list of codings that ends in
// `chunked`, even from HTTP/1.0 clients.

import { malformed, unsupportedTransferCoding } from '../errors.ts';
import type { RequestHead } from './request-head.ts';

const CHUNKED = 'chunked';

/** Throws `request/malformed` or `request/unsupported-transfer-coding`; both close the connection. */
export function checkTransferCodings({ headers, httpVersionMinor }: RequestHead): void {
  const given = headers['transfer-encoding'];
  if (given === undefined) return;
  // RFC 9112, 6.1: such framing is always faulty.
  if (httpVersionMinor === 0) throw malformed('HTTP/1.0 has no Transfer-Encoding');
  const codings = given.split(',').map((coding) => coding.trim().toLowerCase());
  if (codings.indexOf(CHUNKED) !== codings.length - 1) {
    throw malformed('A body must be sent in chunks once, as its last coding');
  }
  if (codings.length > 1) throw unsupportedTransferCoding(given);
}
