// Errors of the client. Each has a stable `code`: the service's own, such as
// `grid/region-not-found`, or one that begins with `client/`.

/** A position in the text of a query. */
export interface TextPosition {
  /** In UTF-16 code units, from 0. */
  readonly offset: number;
  /** From 1, as people count. */
  readonly line: number;
  readonly column: number;
}

export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The name that was probably meant. */
  readonly hint: string | undefined;
  /** Where in the text of a query. */
  readonly position: TextPosition | undefined;
  /** JSON text of the value or query that conflicts with a write. */
  readonly current: string | undefined;
}

export class ClientError extends Error {
  readonly code: string;
  /** Status of the answer; undefined when there was none. */
  readonly status: number | undefined;

  constructor(
    code: string,
    message: string,
    details: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.status = details.status;
  }
}

/** Thrown before anything is sent, for a URL that cannot be a service's. */
export class BadAddressError extends ClientError {
  constructor(reason: string) {
    super('client/bad-address', reason);
  }
}

/** Thrown when no answer came. Whether a write was done is unknown. */
export class UnreachableError extends ClientError {
  constructor(url: string, { cause }: { readonly cause: unknown }) {
    super('client/unreachable', `${url} does not answer (${explain(cause)})`, { cause });
  }
}

/** Thrown when an answer ended before its last byte, or is not what the API documents. */
export class CutShortError extends ClientError {
  constructor(url: string, details: { readonly cause?: unknown } = {}) {
    super('client/cut-short', `the answer of ${url} broke off`, details);
  }
}

/** Thrown when the service answered with an error; code and message are the service's own. */
export class RefusedError extends ClientError {
  declare readonly status: number;
  readonly hint: string | undefined;
  /** Where in the text of a query, if it is one that is wrong. */
  readonly position: TextPosition | undefined;

  constructor({ code, hint, message, position, status }: ErrorAnswer) {
    super(code, message, { status });
    this.hint = hint;
    this.position = position;
  }
}

/** 401 and 403: the login is missing, wrong, or not allowed to do this. */
export class LoginError extends RefusedError {}

/** 404, and 400 for keys that are missing: the region, key, query or index does not exist. */
export class NotFoundError extends RefusedError {}

/** 409: another value, region, query or index is in the way. */
export class ConflictError extends RefusedError {
  /** JSON text of the stored value, where the service sends it. */
  readonly current: string | undefined;

  constructor(answer: ErrorAnswer) {
    super(answer);
    this.current = answer.current;
  }
}

/**
 * 410: the requested changes are no longer kept. Read everything again, then follow from `latest`.
 */
export class GoneError extends RefusedError {
  /** The range of sequences after which the change log can be read. */
  readonly oldest: number;
  readonly latest: number;

  constructor(answer: ErrorAnswer, body: Readonly<Record<string, unknown>> | undefined) {
    super(answer);
    this.oldest = Number(body?.['oldest']);
    this.latest = Number(body?.['latest']);
  }
}

/** 412: the entry has another version than the one given. */
export class VersionDiffersError extends RefusedError {}

/** 503, after the last retry: the service is overloaded, stopping, or has lost its store. */
export class UnavailableError extends RefusedError {
  /** The wait that the service requests; 0 when it requests none. */
  readonly retryAfterSeconds: number;

  constructor(answer: ErrorAnswer, retryAfterSeconds: number) {
    super(answer);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The code of a conflict whose body is the stored value, without a code. */
const CONFLICT_CODE = 'client/conflict';

/** The error for an unsuccessful answer. */
export function toRefusedError(
  status: number,
  body: string,
  retryAfterSeconds: number,
): RefusedError {
  const answer = readErrorAnswer(status, body);
  switch (status) {
    case 401:
    case 403:
      return new LoginError(answer);
    case 404:
      return new NotFoundError(answer);
    case 400:
      return answer.code === 'grid/keys-missing'
        ? new NotFoundError(answer)
        : new RefusedError(answer);
    case 409:
      return new ConflictError(answer);
    case 410:
      return new GoneError(answer, parseObject(body));
    case 412:
      return new VersionDiffersError(answer);
    case 503:
      return new UnavailableError(answer, retryAfterSeconds);
    default:
      return new RefusedError(answer);
  }
}

function readErrorAnswer(status: number, body: string): ErrorAnswer {
  const parsed = parseObject(body);
  const code = text(parsed?.['code']);
  if (status === 409 && code === undefined && body !== '') {
    const message = 'another value is stored';
    return {
      status,
      code: CONFLICT_CODE,
      message,
      hint: undefined,
      position: undefined,
      current: body,
    };
  }
  return {
    status,
    code: code ?? 'client/refused',
    message:
      text(parsed?.['message']) ??
      text(parsed?.['detail']) ??
      `the service answered with status ${status}`,
    hint: text(parsed?.['hint']),
    // docs/http-api.md states the members.
    position: parsed?.['position'] as TextPosition | undefined,
    current: undefined,
  };
}

function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    // Members are checked one by one, so any object will do.
    return typeof parsed === 'object' && parsed !== null
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `fetch` hides the reason one level down. */
function explain(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (Object(cause).code === 'EPIPE') {
    return 'it closed the connection before the request was sent; is the body longer than its limits.body-bytes?';
  }
  if (cause instanceof Error) {
    return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  }
  return String(cause);
}
