// Sends an answer: a complete body in one write, a stream in pieces (stream-sender.ts).

import { DATA_HEADERS } from '../security/security-headers.ts';
import type { ApiResponse } from './api-response.ts';
import type { Outgoing } from './outgoing.ts';
import type { SentStream, StreamSender } from './stream-sender.ts';

/** Returns the body bytes sent; a promise only for streams. */
export function sendResponse(
  response: ApiResponse,
  outgoing: Outgoing,
  { requestId, streams }: { readonly requestId: string; readonly streams: StreamSender },
): number | Promise<SentStream> {
  const { status, body } = response;
  const isData = response.ownSecurityHeaders !== true;
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  const whole = isWhole ? body : findEmpty(response, outgoing);
  if (isData && whole !== undefined && status === 200 && outgoing.sendWhole !== undefined) {
    const bodyBytes = response.bodyBytes ?? lengthOf(whole);
    // The answer does not own the buffer of a body that replaced another one.
    const isOwn = response.ownBody === whole;
    const { contentType, headers } = response;
    outgoing.sendWhole({ status, contentType, headers, requestId, body: whole, bodyBytes, isOwn });
    return sentBytes(bodyBytes, outgoing);
  }
  const headers = allHeaders(response, requestId);
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
    // ASCII text is the same in both encodings, and Latin-1 is written faster.
    if (bytes === body.length) outgoing.end(body, 'latin1');
    else outgoing.end(body);
    return sentBytes(bytes, outgoing);
  }
  outgoing.writeHead(status, headers);
  if (response.beginsAtOnce === true) outgoing.flushHeaders?.();
  return streams.send(body, outgoing);
}

function allHeaders(response: ApiResponse, requestId: string): string[] {
  const { contentType, headers, ownSecurityHeaders } = response;
  return [
    ...(contentType === undefined ? [] : ['Content-Type', contentType]),
    ...headers,
    'X-Request-Id',
    requestId,
    ...(ownSecurityHeaders === true ? [] : DATA_HEADERS),
  ];
}

/** The empty body of an answer without one. */
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

/** 204 and 304 never have a body; for HEAD, 0 would mean that GET has none either. */
function hasLength(status: number, outgoing: Outgoing): boolean {
  return status !== 204 && status !== 304 && outgoing.req.method !== 'HEAD';
}
