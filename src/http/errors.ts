// Requests that cannot be served as they were sent. One constructor per code;
// response/error-rules.ts has the codes and their statuses.

import type { RequestErrorCode } from './response/error-rules.ts';

export interface BodyPosition {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

export interface RequestErrorDetails {
  readonly hint?: string | undefined;
  readonly position?: BodyPosition;
  /** Headers of the answer: names and values alternating. */
  readonly headers?: readonly string[];
  /** The element of a list that failed. */
  readonly failed?:
    | { readonly in?: string; readonly index?: number; readonly key?: string }
    | undefined;
  /** For the log; no answer shows it. */
  readonly loggedReason?: string | undefined;
  /** Overrides the default time to wait of the code. */
  readonly retryAfterSeconds?: number;
}

export class RequestError extends Error {
  readonly code: RequestErrorCode;
  readonly details: RequestErrorDetails;

  constructor(
    code: RequestErrorCode,
    message: string,
    details: RequestErrorDetails & ErrorOptions = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'RequestError';
    this.code = code;
    this.details = details;
  }
}

/** Thrown when a request breaks the rules of HTTP or contradicts itself. */
export function malformed(reason: string): RequestError {
  return new RequestError('request/malformed', reason);
}

/** Thrown when a path or query part is not valid percent-encoded UTF-8. */
export function badEncoding(part: string): RequestError {
  return new RequestError('request/bad-encoding', `Not valid percent-encoded UTF-8: ${part}`);
}

/** Thrown when `limit` is neither ALL nor an integer in range (spec 4.2), or too high for the request. */
export function badLimit(
  value: string,
  reason = 'must be ALL or an integer from 0 to 2147483647',
  hint?: string,
): RequestError {
  return new RequestError('request/bad-limit', `limit (${value}) ${reason}`, { hint });
}

/** Thrown when a boolean parameter is neither true nor false (spec 4.5). */
export function badFlag(name: string, value: string): RequestError {
  return new RequestError('request/bad-flag', `${name} (${value}) must be true or false`);
}

/** Thrown when a query parameter is missing, given twice, out of range, or excludes another. */
export function badParameter(reason: string, hint?: string): RequestError {
  return new RequestError('request/bad-parameter', reason, { hint });
}

/** Thrown when `cursor` is not from a page of the same request. */
export function badCursor(): RequestError {
  return new RequestError('request/bad-cursor', 'The cursor was made for a different request', {
    hint: 'Follow the Link of the previous page, or send its cursor with the same bounds, order and condition',
  });
}

/** Thrown when a query parameter has a name that the request does not take. */
export function unknownParameter(
  name: string,
  known: readonly string[],
  nearest: string | undefined,
): RequestError {
  return new RequestError(
    'request/unknown-parameter',
    `Unknown query parameter (${name}); known here: ${known.join(', ')}`,
    nearest === undefined ? {} : { hint: `did you mean ${nearest}?` },
  );
}

/** Thrown when a parameter (`op`, `ops`) has a word that is none of the valid ones. */
export function badOperation(
  parameter: string,
  value: string,
  valid: readonly string[],
): RequestError {
  return new RequestError(
    'request/bad-operation',
    `${parameter} (${value}) must be one of ${valid.join(', ')}`,
  );
}

/** Thrown when a list of keys is empty, has an empty piece, or has too many. */
export function badKeys(reason: string): RequestError {
  return new RequestError('request/bad-keys', reason);
}

/** Thrown when `If-Match` or `If-None-Match` cannot be applied to the request. */
export function badPrecondition(reason: string): RequestError {
  return new RequestError('request/bad-precondition', reason);
}

/** Thrown when an idempotency key is not well-formed, or the request takes none. */
export function badIdempotencyKey(reason: string): RequestError {
  return new RequestError('request/bad-idempotency-key', reason);
}

/** Thrown when the first request with this idempotency key is still being answered. */
export function idempotencyKeyInUse(): RequestError {
  return new RequestError(
    'request/idempotency-key-in-use',
    'A request with this Idempotency-Key is being answered; send it again later',
  );
}

/** Thrown when an idempotency key comes again with another request. */
export function idempotencyKeyReused(): RequestError {
  return new RequestError(
    'request/idempotency-key-reused',
    'This Idempotency-Key was used for another request; a new request needs a new key',
  );
}

/** Thrown when a request has more operations than one request may have. */
export function tooManyOperations(reason: string): RequestError {
  return new RequestError('request/too-many-operations', reason);
}

/** Thrown when a request that needs a body has none. */
export function noBody(what = 'a JSON body'): RequestError {
  return new RequestError('request/no-body', `The request needs ${what}`);
}

/** Thrown when a body is not JSON by our rules; the position says where. */
export function badJson(reason: string, position: BodyPosition): RequestError {
  const where = `line ${position.line}, column ${position.column}`;
  return new RequestError('request/bad-json', `Malformed JSON at ${where}: ${reason}`, {
    position,
  });
}

/** Thrown when a body is JSON but not of the shape the request takes. */
export function badBody(reason: string, failed?: RequestErrorDetails['failed']): RequestError {
  return new RequestError('request/bad-body', reason, { failed });
}

/** Thrown when `check=true` finds that a query text does not compile. */
export function badQueryText(
  message: string,
  details: RequestErrorDetails & ErrorOptions,
): RequestError {
  return new RequestError('request/bad-query-text', message, details);
}

/** Thrown when no route has the path. */
export function pathNotFound(path: string): RequestError {
  return new RequestError('request/path-not-found', `There is nothing at ${path}`);
}

/** Thrown when the path has routes, but none for the method. */
export function methodNotAllowed(method: string, allow: readonly string[]): RequestError {
  return new RequestError(
    'request/method-not-allowed',
    `${method} is not allowed here; allowed: ${allow.join(', ')}`,
    { headers: ['Allow', allow.join(', ')] },
  );
}

/** Thrown when `Accept` excludes every media type offered. */
export function notAcceptable(accept: string, offered: readonly string[]): RequestError {
  return new RequestError(
    'request/not-acceptable',
    `Accept (${accept}) excludes what is offered: ${offered.join(', ')}`,
  );
}

/** Thrown when headers or body did not arrive in time. */
export function requestTimeout(): RequestError {
  return new RequestError('request/timeout', 'The request did not arrive in time');
}

/** Thrown when a body is longer than the limit. */
export function bodyTooLarge(maxBytes: number, what = 'The body'): RequestError {
  return new RequestError(
    'request/body-too-large',
    `${what} must not be longer than ${maxBytes} bytes`,
  );
}

/** Thrown when the request target is longer than the limit. */
export function urlTooLong(maxBytes: number): RequestError {
  return new RequestError(
    'request/url-too-long',
    `The URL must not be longer than ${maxBytes} bytes`,
  );
}

/** Thrown when the service does not support the value of `Expect`. */
export function expectationFailed(expect: string): RequestError {
  return new RequestError(
    'request/expectation-failed',
    `Expect (${expect}) must be 100-continue, or left out`,
  );
}

/** Thrown when a body has an unsupported media type; `rule` says what its `Content-Type` must be. */
export function unsupportedMediaType(
  rule: string,
  contentType: string | undefined,
  headers: readonly string[] = [],
): RequestError {
  return new RequestError(
    'request/unsupported-media-type',
    `Content-Type ${rule}; it is ${contentType ?? 'missing'}`,
    { headers },
  );
}

/** The same for the body of a PATCH or QUERY. */
export function unsupportedBodyType(
  method: 'PATCH' | 'QUERY',
  contentType: string | undefined,
  accepted: string,
): RequestError {
  const header = method === 'PATCH' ? 'Accept-Patch' : 'Accept-Query';
  const rule = `of this ${method} must be one of ${accepted}`;
  return unsupportedMediaType(rule, contentType, [header, accepted]);
}

/** Thrown when the body of a PATCH is JSON, but not a patch. */
export function badPatch(reason: string): RequestError {
  return new RequestError('request/bad-patch', reason);
}

/** Thrown when the content coding of a body is not supported. */
export function unsupportedEncoding(coding: string): RequestError {
  return new RequestError(
    'request/unsupported-encoding',
    `Content-Encoding (${coding}) must be gzip or zstd, or left out`,
    { headers: ['Accept-Encoding', 'gzip, zstd'] },
  );
}

/** Thrown when a body is sent in another transfer coding than chunks. */
export function unsupportedTransferCoding(codings: string): RequestError {
  return new RequestError(
    'request/unsupported-transfer-coding',
    `Transfer-Encoding (${codings}) must be chunked, or left out`,
  );
}

/** Thrown when there are too many headers or they are too long. */
export function headersTooLarge(reason: string): RequestError {
  return new RequestError('request/headers-too-large', reason);
}

/** Thrown when the maximum number of requests is in flight. */
export function overloaded(): RequestError {
  return new RequestError('request/overloaded', 'Too many requests in flight, try again');
}

/** Thrown when the maximum number of long streams is open, in all or of one login. */
export function tooManyStreams(openStreams: string): RequestError {
  const reason = `${openStreams}, which is the limit; try again later`;
  return new RequestError('request/too-many-streams', reason);
}

/** Thrown for every request while the service loads its declared regions and sample. */
export function starting(): RequestError {
  return new RequestError('request/starting', 'The service is starting');
}

/** Thrown for every request but ping once the service is shutting down. */
export function shuttingDown(): RequestError {
  return new RequestError('request/shutting-down', 'The service is shutting down');
}

/** Thrown by `/readyz` while the store cannot be read or written. */
export function notReady(reasons: readonly string[]): RequestError {
  return new RequestError('request/not-ready', reasons.join('; '));
}

/** Thrown by ping once the service is shutting down (spec 4.12). */
export function notAvailable(): RequestError {
  return new RequestError('request/not-available', 'The service is not available');
}

/** Thrown when `Host` is not one of the names served: 421 (DNS rebinding). */
export function wrongHost(host: string): RequestError {
  return new RequestError(
    'request/wrong-host',
    `Host (${host}) is not served here; the setting http.allowed-hosts adds names`,
  );
}

/** Thrown when another origin's page sends a body, changes something, or reads data. */
export function foreignOrigin(origin: string): RequestError {
  return new RequestError(
    'request/foreign-origin',
    `Pages of another origin (${origin}) may not send this`,
  );
}

/** Thrown when authentication is on and a request has no credentials. */
export function loginRequired(challenge: string): RequestError {
  return new RequestError('auth/login-required', 'Log in first', {
    headers: ['WWW-Authenticate', challenge],
  });
}

/** Thrown for every refused login; the answer does not say which part of it was wrong. */
export function loginFailed(challenge: string, loggedReason?: string): RequestError {
  return new RequestError('auth/login-failed', 'The login is not valid', {
    headers: ['WWW-Authenticate', challenge],
    loggedReason,
  });
}

/** Thrown when the permission that a request needs was not granted. */
export function notPermitted(permission: string): RequestError {
  return new RequestError('auth/not-permitted', `Permission ${permission} is needed`);
}

/** Thrown when too many logins failed within a minute, from one address or for one user. */
export function tooManyFailures(retryAfterSeconds: number): RequestError {
  return new RequestError('auth/too-many-failures', 'Too many failed logins, try again later', {
    retryAfterSeconds,
  });
}

/** Thrown when the keys that verify tokens cannot be fetched now. */
export function authUnavailable(cause: unknown): RequestError {
  return new RequestError('auth/unavailable', 'Tokens cannot be checked now', { cause });
}

/** Thrown when a request is stopped with part of its work done; `progress` says how much. */
export class StoppedError extends Error {
  readonly progress: object;

  constructor(cause: unknown, progress: object) {
    super('The request was stopped', { cause });
    this.progress = progress;
  }
}
