// An answer as data: handlers return it, serving/dispatcher.ts sends it.

import type { LongStream } from '../streams/long-stream.ts';

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
  /**
   * The body itself, if this answer owns its buffer. Then the bytes before it may be overwritten,
   * and the buffer is detached once it is sent.
   */
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

/**
 * A stream is pulled as the client reads, and ended when the client disconnects. The consumer owns
 * its pieces: their memory is freed when they are sent.
 */
export type BodyPiece = string | Uint8Array;
export type ResponseBody = BodyPiece | AsyncIterable<BodyPiece> | undefined;

export const TEXT_TYPE = 'text/plain';
/** JSON texts, one per line. */
export const NDJSON_TYPE = 'application/x-ndjson';

export const CSV_TYPE = 'text/csv';

export function isStream(body: ResponseBody): body is AsyncIterable<string | Uint8Array> {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

export const JSON_TYPE = 'application/json';

/** The form of rows and entries in an answer. */
export type RowForm = 'json' | 'ndjson' | 'csv';

/** Media types. JSON first: the default for a client without a preference. */
export const ROW_TYPES: Readonly<Record<RowForm, string>> = {
  json: JSON_TYPE,
  ndjson: NDJSON_TYPE,
  csv: CSV_TYPE,
};

export function findRowForm(type: string): RowForm | undefined {
  // The keys of the table are the forms.
  const forms = Object.keys(ROW_TYPES) as RowForm[];
  return forms.find((form) => ROW_TYPES[form] === type);
}

/** The `Content-Type` of an answer with elements in that form. */
export function elementType(form: RowForm): string {
  return form === 'csv' ? `${CSV_TYPE}; charset=utf-8; header=present` : ROW_TYPES[form];
}
/** A query plan: JSON, but not a result. */
export const PLAN_TYPE = 'application/vnd.gridkeep.plan+json';
/** The specification requires this form twice (4.3, 4.11). */
export const JSON_UTF8_TYPE = 'application/json; charset=utf-8';

/** Errors in the form of RFC 9457. */
export const PROBLEM_TYPE = 'application/problem+json';

export function jsonResponse(
  body: string | Uint8Array,
  headers: readonly string[] = [],
): ApiResponse {
  return { status: 200, contentType: JSON_TYPE, headers, body };
}

export function jsonStream(
  body: AsyncIterable<string | Uint8Array>,
  headers: readonly string[] = [],
): ApiResponse {
  return { status: 200, contentType: JSON_TYPE, headers, body };
}

export function emptyResponse(
  status: 200 | 201 | 204 | 302 | 304,
  headers: readonly string[] = [],
): ApiResponse {
  return { status, headers, body: undefined };
}

export function textResponse(
  contentType: string,
  body: string | Uint8Array,
  headers: readonly string[] = [],
): ApiResponse {
  return { status: 200, contentType, headers, body };
}
