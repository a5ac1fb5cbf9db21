// Limits on the head of a request, and checks that Node does not make. Node would silently drop
// headers beyond its own count, and keep the first of two Host or Content-Type headers. It would
// also answer HTTP/0.9 and HTTP/2.0 requests.

import { printAmount } from '../../value/print-amount.ts';
import {
  expectationFailed,
  headersTooLarge,
  malformed,
  unsupportedTransferCoding,
  urlTooLong,
} from '../errors.ts';
import type { RequestHead } from './request-head.ts';

export interface HeadLimits {
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  readonly maxUrlBytes: number;
}

/** Colon, blank and line end of a header. */
const HEADER_OVERHEAD = 4;

/** The pattern that Node uses. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

export function checkHead(incoming: RequestHead, limits: HeadLimits): void {
  if (incoming.httpVersionMajor !== 1) throw malformed('Only HTTP/1.1 and HTTP/1.0 are supported');
  const urlBytes = incoming.url?.length ?? 0;
  if (urlBytes > limits.maxUrlBytes) throw urlTooLong(limits.maxUrlBytes);
  const raw = incoming.rawHeaders;
  if (raw.length / 2 > limits.maxHeaders) {
    const limit = printAmount(limits.maxHeaders, 'header');
    throw headersTooLarge(`A request may have ${limit} at most`);
  }
  const { bytes, contentTypes, hosts } = measureHeaders(raw);
  const { expect } = incoming.headers;
  checkTransferCodings(incoming);
  if (expect !== undefined && !CONTINUE.test(expect)) throw expectationFailed(expect);
  if (hosts > 1) throw malformed('A request may have one Host header only');
  if (contentTypes > 1) throw malformed('A request may have one Content-Type header only');
  if (bytes > limits.maxHeaderBytes) {
    throw headersTooLarge(`The headers must not be longer than ${limits.maxHeaderBytes} bytes`);
  }
}

function measureHeaders(
  raw: readonly string[],
): Readonly<Record<'bytes' | 'contentTypes' | 'hosts', number>> {
  let bytes = 0;
  let contentTypes = 0;
  let hosts = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    bytes += name.length + (raw[i + 1]?.length ?? 0) + HEADER_OVERHEAD;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    if (name.length === 12 && name.toLowerCase() === 'content-type') contentTypes += 1;
  }
  return { bytes, contentTypes, hosts };
}

const CHUNKED = 'chunked';

/**
 * Checks how a body is framed beyond its length: Node accepts every list of codings that ends in
 * `chunked`, even from HTTP/1.0 clients. Throws `request/malformed` or `request/unsupported-transfer-coding`; both
 * close the connection.
 */
function checkTransferCodings({ headers, httpVersionMinor }: RequestHead): void {
  const header = headers['transfer-encoding'];
  if (header === undefined) return;
  // RFC 9112, 6.1: such framing is always faulty.
  if (httpVersionMinor === 0) throw malformed('HTTP/1.0 has no Transfer-Encoding');
  const codings = header.split(',').map((coding) => coding.trim().toLowerCase());
  if (codings.indexOf(CHUNKED) !== codings.length - 1) {
    throw malformed('A body must be sent in chunks once, as its last coding');
  }
  if (codings.length > 1) throw unsupportedTransferCoding(header);
}
