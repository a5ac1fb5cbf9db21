// Puts an answer on the wire. Small bodies go out in one write; streams in
// pieces (stream-sender.ts).

import { DATA_HEADERS } from '../security/security-headers.ts';
import type { ApiResponse } from './api-response.ts';
import type { Outgoing } from './outgoing.ts';
import type { SentStream, StreamSender } from './stream-sender.ts';

export interface Sending {
  readonly requestId: string;
  readonly streams: StreamSender;
}

/** Body bytes sent; only streams are waited for. */
export function sendResponse(
  response: ApiResponse,
  outgoing: Outgoing,
  sending: Sending,
): number | Promise<SentStream> {
  const { status, body } = response;
  const { requestId } = sending;
  const isData = response.ownSecurityHeaders !== true;
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  const whole = isWhole ? body : findEmpty(response, outgoing);
  if (isData && whole !== undefined && status === 200 && outgoing.sendWhole !== undefined) {
    const bodyBytes = response.bodyBytes ?? lengthOf(whole);
    // A body that took the place of another one is not the answer's own.
    const isOwn = response.ownBody === whole;
    const { headers } = response;
    outgoing.sendWhole({ status, headers, requestId, body: whole, bodyBytes, isOwn });
    return sentBytes(bodyBytes, outgoing);
  }
  const headers = isData
    ? [...response.headers, 'X-Request-Id', requestId, ...DATA_HEADERS]
    : [...response.headers, 'X-Request-Id', requestId];
  if (body === undefined) {
    if (hasLength(status, outgoing)) headers.push('Content-Length', '0');
    outgoing.writeHead(status, headers);
    outgoing.end();
    return 0;
  }
  if (isWhole) {
    const bytes = response.bodyBytes ?? lengthOf(body);
    headers.push('Content-Length', String(bytes));
    outgoing.writeHead(status, headers);
    // Text without a character above 127 is the same in both, and written faster in this one.
    if (bytes === body.length) outgoing.end(body, 'latin1');
    else outgoing.end(body);
    return sentBytes(bytes, outgoing);
  }
  outgoing.writeHead(status, headers);
  if (response.beginsAtOnce === true) outgoing.flushHeaders?.();
  return sending.streams.send(body, outgoing);
}

/** The body of an answer that has none, and says so. */
function findEmpty({ body, status }: ApiResponse, outgoing: Outgoing): '' | undefined {
  return body === undefined && hasLength(status, outgoing) ? '' : undefined;
}

/** HEAD gets the length of the body, but no body. */
function sentBytes(bodyBytes: number, outgoing: Outgoing): number {
  return outgoing.req.method === 'HEAD' ? 0 : bodyBytes;
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** 204 and 304 have no body by definition; to HEAD, 0 would say that GET has none either. */
function hasLength(status: number, outgoing: Outgoing): boolean {
  return status !== 204 && status !== 304 && outgoing.req.method !== 'HEAD';
}
