// What a call to the service can fail with.

export type ClientErrorCode =
  | 'client/bad-address'
  | 'client/unreachable'
  | 'client/refused'
  | 'client/cut-short';

export class ClientError extends Error {
  readonly code: ClientErrorCode;
  /** The status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** The service's own code for what went wrong, such as `grid/region-not-found`. */
  readonly reason: string | undefined;

  constructor(
    code: ClientErrorCode,
    message: string,
    details: { status?: number; reason?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'ClientError';
    this.code = code;
    this.status = details.status;
    this.reason = details.reason;
  }
}

/** Thrown when the address of the service is none. */
export function badAddress(reason: string): ClientError {
  return new ClientError('client/bad-address', reason);
}

/** Thrown when no answer came, or it broke off; whether a write was done is then unknown. */
export function unreachable(url: string, cause: unknown): ClientError {
  return new ClientError('client/unreachable', `${url} does not answer (${explain(cause)})`, {
    cause,
  });
}

/** Thrown when the service answered with an error; the message is the service's own. */
export function refused(status: number, body: string): ClientError {
  const { code, message } = readErrorBody(body);
  const text = message ?? `the service answered with status ${status}`;
  return new ClientError('client/refused', text, { status, reason: code });
}

/** Thrown when an answer ended in the middle. */
export function cutShort(url: string, cause?: unknown): ClientError {
  return new ClientError('client/cut-short', `the answer of ${url} broke off`, { cause });
}

/** `fetch` hides the reason one level down. */
function explain(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error) {
    return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  }
  return String(cause);
}

/** Errors are an object with `code` and `message`, or a JSON string. */
function readErrorBody(body: string): { code?: string; message?: string } {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'string') return { message: parsed };
    if (typeof parsed !== 'object' || parsed === null) return {};
    const { code, message } = { code: undefined, message: undefined, ...parsed };
    return {
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    };
  } catch {
    return {};
  }
}
