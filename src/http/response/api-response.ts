// An answer as data: handlers return it, serving/dispatcher.ts sends it.

import type { LongStream } from '../streams/long-stream.ts';
import { JSON_TYPE } from './media-types.ts';

export interface ApiResponse {
  readonly status: number;
  /** Absent: the answer has no body. */
  readonly contentType?: string | undefined;
  /**
   * The other headers: names and values alternating, for `writeHead`. Content-Length is added when
   * sent.
   */
  readonly headers: readonly string[];
  readonly body: ResponseBody;
  /** Bytes of a text body, if known: counting them is expensive for a concatenated string. */
  readonly bodyBytes?: number | undefined;
  /** The body itself, if this answer owns its buffer, which is then detached once it is sent. */
  readonly ownBody?: Uint8Array | undefined;
  /**
   * It has its own caching and security headers, as pages do. Absent: it is data and gets the
   * headers of data (security/security-headers.ts).
   */
  readonly ownSecurityHeaders?: true;
  /** A stream whose head is sent before its first piece; it is not compressed. */
  readonly beginsAtOnce?: true;
  /** In place of a body: an endless stream of events (streams/). */
  readonly longStream?: LongStream;
}

export type BodyPiece = string | Uint8Array;

/**
 * A stream is pulled as the client reads, and ended when the client disconnects. The consumer owns
 * its pieces: their memory is freed when they are sent.
 */
export type ResponseBody = BodyPiece | AsyncIterable<BodyPiece> | undefined;

export function isStream(body: ResponseBody): body is AsyncIterable<BodyPiece> {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

export function jsonResponse(
  body: Exclude<ResponseBody, undefined>,
  headers: readonly string[] = [],
): ApiResponse {
  return { status: 200, contentType: JSON_TYPE, headers, body };
}

export function emptyResponse(
  status: 200 | 201 | 204 | 304,
  headers: readonly string[] = [],
): ApiResponse {
  return { status, headers, body: undefined };
}

/** An answer to GET that is empty, so that HEAD has its length too. */
export function blankResponse(status: 200 | 302, headers: readonly string[] = []): ApiResponse {
  return { status, headers, body: '' };
}

export function textResponse(
  contentType: string,
  body: BodyPiece,
  headers: readonly string[] = [],
): ApiResponse {
  return { status: 200, contentType, headers, body };
}
