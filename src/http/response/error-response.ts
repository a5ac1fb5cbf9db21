// The only place where a failure becomes a status. A new code does not compile
// until it is in the table, nor pass the tests until docs/errors.md has it.

import {
  EngineError,
  type EngineErrorCode,
  GridError,
  type GridErrorCode,
  OqlError,
  type OqlErrorCode,
} from '../../grid/index.ts';
import type { ErrorTrace } from '../../observe/observation.ts';
import { RequestError, type RequestErrorCode } from '../errors.ts';
import { accepts } from '../request/accept.ts';
import { StoppedError } from '../stopped-error.ts';
import type { ApiResponse } from './api-response.ts';
import { HINTS } from './error-hints.ts';
import { traceOf } from './error-trace.ts';
import { JSON_TYPE, PROBLEM_TYPE } from './media-types.ts';

type ErrorCode =
  | RequestErrorCode
  | GridErrorCode
  | EngineErrorCode
  | OqlErrorCode
  | 'internal/error';

/**
 * `error`: the common error object. `text`: the message as a JSON string (spec 4.5, 7). `current`:
 * the conflicting JSON value.
 */
type ErrorBody = 'error' | 'text' | 'current';

interface ErrorRule {
  /** The status of the specification, if it has one. */
  readonly status: number;
  /** Used where the specification is silent and `status` would be 5xx for a client's mistake. */
  readonly honest?: number;
  readonly body?: ErrorBody;
  readonly retryAfterSeconds?: number;
  /**
   * Whether the connection must be closed, because its next bytes cannot be trusted or are not
   * read.
   */
  readonly closes?: true;
  /** Whether nothing was done because too many requests were in progress. */
  readonly refuses?: true;
}

const RULES = {
  'request/malformed': { status: 400, closes: true },
  'request/bad-encoding': { status: 400 },
  'request/bad-limit': { status: 400 },
  'request/bad-flag': { status: 400 },
  'request/bad-parameter': { status: 400 },
  'request/bad-cursor': { status: 400 },
  'request/unknown-parameter': { status: 400 },
  'request/bad-operation': { status: 400 },
  'request/bad-keys': { status: 400 },
  'request/bad-precondition': { status: 400 },
  'request/bad-idempotency-key': { status: 400 },
  'request/idempotency-key-in-use': { status: 409, retryAfterSeconds: 1 },
  'request/idempotency-key-reused': { status: 422 },
  'request/too-many-operations': { status: 413 },
  'request/no-body': { status: 400 },
  'request/bad-json': { status: 400 },
  'request/bad-body': { status: 400 },
  'request/bad-patch': { status: 400 },
  'request/bad-query-text': { status: 400 },
  'request/path-not-found': { status: 404 },
  'request/method-not-allowed': { status: 405 },
  'request/not-acceptable': { status: 406 },
  'request/timeout': { status: 408, closes: true },
  'request/body-too-large': { status: 413, closes: true },
  'request/url-too-long': { status: 414, closes: true },
  'request/expectation-failed': { status: 417, closes: true },
  'request/unsupported-media-type': { status: 415 },
  'request/unsupported-encoding': { status: 415 },
  'request/unsupported-transfer-coding': { status: 501, closes: true },
  'request/headers-too-large': { status: 431, closes: true },
  'request/overloaded': { status: 503, retryAfterSeconds: 1, refuses: true },
  'request/too-many-streams': { status: 503, retryAfterSeconds: 5 },
  'request/starting': { status: 503, retryAfterSeconds: 1 },
  'request/shutting-down': { status: 503, retryAfterSeconds: 5, closes: true },
  'request/not-ready': { status: 503, retryAfterSeconds: 5 },
  'request/not-available': { status: 404, closes: true },
  'request/wrong-host': { status: 421, closes: true },
  'request/foreign-origin': { status: 403 },

  'auth/login-required': { status: 401 },
  'auth/login-failed': { status: 401 },
  'auth/not-permitted': { status: 403 },
  'auth/too-many-failures': { status: 429 },
  'auth/unavailable': { status: 503, retryAfterSeconds: 5 },

  'grid/region-not-found': { status: 404 },
  'grid/region-forbidden': { status: 403 },
  'grid/no-regions': { status: 404 },
  'grid/region-exists': { status: 409 },
  'grid/bad-region': { status: 400 },
  'grid/bad-key': { status: 400 },
  'grid/bad-value': { status: 400 },
  'grid/value-too-large': { status: 413 },
  'grid/count-failed': { status: 400 },
  'grid/keys-missing': { status: 400, body: 'text' },
  'grid/keys-not-found': { status: 404 },
  'grid/keys-exist': { status: 409 },
  'grid/key-exists': { status: 409, body: 'current' },
  'grid/value-differs': { status: 409, body: 'current' },
  'grid/patch-failed': { status: 409 },
  'grid/precondition-failed': { status: 412 },
  'grid/condition-failed': { status: 409 },
  'grid/not-unique': { status: 409 },
  'grid/operation-not-supported': { status: 500, honest: 409 },
  'grid/query-not-found': { status: 404 },
  'grid/query-exists': { status: 409, body: 'current' },
  'grid/bad-query-id': { status: 400 },
  'grid/index-exists': { status: 409 },
  'grid/index-not-found': { status: 404 },
  'grid/bad-index': { status: 400 },
  'grid/too-many-queries': { status: 503, retryAfterSeconds: 1, refuses: true },
  'grid/running-query-not-found': { status: 404 },
  'grid/changes-gone': { status: 410 },
  'grid/too-many-live-queries': { status: 503, retryAfterSeconds: 5 },
  'grid/live-query-too-large': { status: 413 },
  'grid/live-query-too-slow': { status: 503, retryAfterSeconds: 5 },
  'grid/bad-ttl': { status: 400 },
  'grid/no-history': { status: 400 },
  'grid/history-gone': { status: 410 },
  'grid/moment-ahead': { status: 400 },
  'grid/version-not-found': { status: 404 },

  'engine/region-gone': { status: 404 },
  'engine/indexes-changed': { status: 503, retryAfterSeconds: 1 },
  'engine/value-too-large': { status: 413 },
  'engine/read-too-large': { status: 413 },
  'engine/bad-key': { status: 400 },
  'engine/store-full': { status: 500 },
  'engine/store-failed': { status: 500 },
  'engine/store-damaged': { status: 500 },
  'engine/store-inaccessible': { status: 500 },
  'engine/store-locked': { status: 500 },
  'engine/store-newer': { status: 500 },
  'engine/store-not-empty': { status: 500 },
  'engine/unreachable': { status: 503, retryAfterSeconds: 2 },
  'engine/outcome-unknown': { status: 500 },
  'engine/aborted': { status: 503, retryAfterSeconds: 1 },
  'engine/closed': { status: 503, retryAfterSeconds: 5, closes: true },

  'oql/syntax-error': { status: 500, honest: 400 },
  'oql/not-supported': { status: 500, honest: 400 },
  'oql/text-too-long': { status: 500, honest: 400 },
  'oql/nesting-too-deep': { status: 500, honest: 400 },
  'oql/too-many-placeholders': { status: 500, honest: 400 },
  'oql/literal-invalid': { status: 500, honest: 400 },
  'oql/type-not-found': { status: 500, honest: 400 },
  'oql/aggregate-misplaced': { status: 500, honest: 400 },
  'oql/grouping-invalid': { status: 500, honest: 400 },
  'oql/like-pattern-invalid': { status: 500, honest: 400 },
  'oql/region-not-found': { status: 500, honest: 400 },
  'oql/name-ambiguous': { status: 500, honest: 400 },
  'oql/name-unresolved': { status: 500, honest: 400 },
  'oql/field-not-found': { status: 500, honest: 400 },
  'oql/method-not-found': { status: 500, honest: 400 },
  'oql/member-unknown': { status: 500, honest: 400 },
  'oql/region-not-permitted': { status: 500, honest: 422 },
  'oql/parameter-count': { status: 500, honest: 400 },
  'oql/parameter-type': { status: 500, honest: 400 },
  'oql/type-mismatch': { status: 500, honest: 422 },
  'oql/function-domain': { status: 500, honest: 422 },
  'oql/division-by-zero': { status: 500, honest: 422 },
  'oql/method-failed': { status: 500, honest: 422 },
  'oql/data-unavailable': { status: 500, honest: 503 },
  'oql/values-not-comparable': { status: 500, honest: 422 },
  'oql/index-out-of-range': { status: 500, honest: 422 },
  'oql/date-invalid': { status: 500, honest: 422 },
  'oql/row-count-invalid': { status: 500, honest: 422 },
  'oql/method-not-permitted': { status: 500, honest: 400 },
  'oql/result-not-collection': { status: 500, honest: 422 },
  'oql/too-many-rows': { status: 500, honest: 422 },
  'oql/cancelled': { status: 500, honest: 503 },
  'oql/timeout': { status: 500, honest: 504 },
  'oql/low-memory': { status: 500, honest: 503 },

  'internal/error': { status: 500 },
} satisfies Record<ErrorCode, ErrorRule>;

export interface ErrorContext {
  readonly requestId: string;
  readonly accept: string | undefined;
  readonly trace: ErrorTrace;
  /**
   * `honest`: mistakes of a client get 4xx, even where the specification says 5xx. Absent: as
   * specified.
   */
  readonly statuses?: 'specified' | 'honest';
  /** `always`: every mistake of a client gets a hint. Absent: only if the error has its own. */
  readonly hints?: 'always' | 'known';
}

export function errorResponse(thrown: unknown, context: ErrorContext): ApiResponse {
  const error = describe(thrown);
  const rule = ruleOf(error.code, context.statuses);
  const problem = wantsProblem(context.accept);
  const contentType = problem ? PROBLEM_TYPE : JSON_TYPE;
  const headers: string[] = [];
  if (error.allow !== undefined) headers.push('Allow', error.allow.join(', '));
  if (error.acceptEncoding !== undefined) headers.push('Accept-Encoding', error.acceptEncoding);
  if (error.acceptQuery !== undefined) headers.push('Accept-Query', error.acceptQuery);
  if (error.acceptPatch !== undefined) headers.push('Accept-Patch', error.acceptPatch);
  if (error.challenge !== undefined) headers.push('WWW-Authenticate', error.challenge);
  const retryAfterSeconds = error.retryAfterSeconds ?? rule.retryAfterSeconds;
  if (retryAfterSeconds !== undefined) headers.push('Retry-After', String(retryAfterSeconds));
  if (rule.closes === true || error.closes === true) headers.push('Connection', 'close');
  const body = printBody(error, rule, problem, context);
  return { status: rule.status, contentType, headers, body };
}

function ruleOf(code: ErrorCode, statuses: ErrorContext['statuses']): ErrorRule {
  const rule: ErrorRule = RULES[code];
  if (statuses !== 'honest' || rule.honest === undefined) return rule;
  return { ...rule, status: rule.honest };
}

/** A failure of one item of a bulk load. */
export function describeFailure(thrown: unknown): {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly position?: object | undefined;
  readonly unique?: object | undefined;
} {
  const { code, hint, message, position, unique } = describe(thrown);
  const { status } = ruleOf(code, 'honest');
  return { status, code, message, hint: hint ?? HINTS[code], position, unique };
}

/** The stable code of a failure; `internal/error` for an unexpected one. */
export function errorCode(thrown: unknown): ErrorCode {
  return describe(thrown).code;
}

/** Whether a request was refused because of too many others. */
export function isRefusal(thrown: unknown): boolean {
  return ruleOf(errorCode(thrown), 'specified').refuses === true;
}

interface DescribedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly thrown: unknown;
  readonly hint?: string | undefined;
  readonly position?: object | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly acceptQuery?: string | undefined;
  readonly acceptPatch?: string | undefined;
  readonly acceptEncoding?: string | undefined;
  readonly challenge?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly current?: string | undefined;
  readonly failure?: string | undefined;
  /** The part of the request that failed, by its index. */
  readonly failed?: object | undefined;
  readonly closes?: true;
  /** The unique index that was violated, and the two entries. */
  readonly unique?: object | undefined;
  /** The entry that made a query fail. */
  readonly entry?: object | undefined;
  /** The part of the change log that can still be read. */
  readonly range?: { readonly oldest: number; readonly latest: number } | undefined;
}

function describe(thrown: unknown): DescribedError {
  if (thrown instanceof StoppedError) {
    return { ...describe(thrown.cause), failed: thrown.progress, closes: true };
  }
  if (thrown instanceof GridError) {
    const { unique, ...details } = thrown.details;
    const { code, message } = thrown;
    if (unique === undefined) return { code, message, thrown, ...details };
    // The value is in the message.
    const { value: _, ...keys } = unique;
    return { code, message, thrown, ...details, unique: keys };
  }
  if (thrown instanceof RequestError) {
    return { code: thrown.code, message: thrown.message, thrown, ...thrown.details };
  }
  if (thrown instanceof OqlError) {
    const { code, message, hint, position, failure, entry } = thrown;
    return { code, message, thrown, hint, position, failure, entry };
  }
  if (thrown instanceof EngineError) return { code: thrown.code, message: thrown.message, thrown };
  return { code: 'internal/error', message: 'The server failed to answer', thrown };
}

function printBody(
  error: DescribedError,
  rule: ErrorRule,
  problem: boolean,
  context: ErrorContext,
): string {
  if (problem) return printProblem(error, rule.status, context);
  if (rule.body === 'text') return JSON.stringify(error.message);
  if (rule.body === 'current' && error.current !== undefined) return error.current;
  return JSON.stringify({
    cause: error.message,
    message: error.message,
    ...commonMembers(error, rule.status, context),
  });
}

/** RFC 9457, for clients that ask for it. */
function printProblem(error: DescribedError, status: number, context: ErrorContext): string {
  return JSON.stringify({
    type: `urn:gridkeep:error:${error.code.replace('/', ':')}`,
    title: error.message.split('\n', 1)[0],
    status,
    detail: error.message,
    instance: `urn:gridkeep:request:${context.requestId}`,
    ...commonMembers(error, status, context),
  });
}

function commonMembers(error: DescribedError, status: number, context: ErrorContext): object {
  return {
    code: error.code,
    failure: error.failure,
    ...error.failed,
    hint:
      error.hint ?? (context.hints === 'always' && status < 500 ? HINTS[error.code] : undefined),
    position: error.position,
    unique: error.unique,
    entry: error.entry,
    ...error.range,
    trace: status === 500 ? traceOf(error.thrown, context.trace) : undefined,
  };
}

function wantsProblem(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('problem+json')) return false;
  return accepts(accept, PROBLEM_TYPE);
}
