// Turns a failure into an answer, by the rule of its code (error-rules.ts).

import { EngineError, GridError, OqlError } from '../../grid/index.ts';
import type { ErrorTrace } from '../../observe/observation.ts';
import { RequestError, type RequestErrorDetails, StoppedError } from '../errors.ts';
import { accepts } from '../request/accept.ts';
import type { ApiResponse } from './api-response.ts';
import { ENTRY_RULE, ERROR_RULES, type ErrorCode, type ErrorRule } from './error-rules.ts';
import { traceOf } from './error-trace.ts';
import { JSON_TYPE, PROBLEM_TYPE } from './media-types.ts';

export interface ErrorContext {
  readonly requestId: string;
  readonly accept: string | undefined;
  readonly trace: ErrorTrace;
  /**
   * `by-cause`: mistakes of a client get 4xx, even where the specification says 5xx. Absent: as
   * specified.
   */
  readonly statuses?: 'specified' | 'by-cause';
  /** `always`: every mistake of a client gets a hint. Absent: only if the error has its own. */
  readonly hints?: 'always' | 'known';
}

export function errorResponse(thrown: unknown, context: ErrorContext): ApiResponse {
  const error = describe(thrown);
  const rule = ruleOf(error, context.statuses);
  // RFC 9457, for clients that ask for it.
  const { accept = '' } = context;
  const problem = accept.includes('problem+json') && accepts(accept, PROBLEM_TYPE);
  const contentType = problem ? PROBLEM_TYPE : JSON_TYPE;
  const headers = [...(error.headers ?? [])];
  const retryAfterSeconds = error.retryAfterSeconds ?? rule.retryAfterSeconds;
  if (retryAfterSeconds !== undefined) headers.push('Retry-After', String(retryAfterSeconds));
  if (rule.closes === true || error.closes === true) headers.push('Connection', 'close');
  const body = printBody(error, rule, problem, context);
  return { status: rule.status, contentType, headers, body };
}

function ruleOf(
  { code, entry }: Pick<DescribedError, 'code' | 'entry'>,
  statuses: ErrorContext['statuses'],
): ErrorRule {
  const rule = ERROR_RULES[code];
  if (statuses !== 'by-cause' || rule.causeStatus === undefined) return rule;
  // The text compiled, so the value of the entry did not fit.
  if (entry !== undefined && rule.causeStatus === 400) return ENTRY_RULE;
  return { ...rule, status: rule.causeStatus };
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
  const error = describe(thrown);
  const { code, hint, message, position, unique } = error;
  const rule = ruleOf(error, 'by-cause');
  return { status: rule.status, code, message, hint: hint ?? rule.hint, position, unique };
}

/** The stable code of a failure; `internal/error` for an unexpected one. */
export function errorCode(thrown: unknown): ErrorCode {
  return describe(thrown).code;
}

/** Whether a request was refused because of too many others. */
export function isRefusal(thrown: unknown): boolean {
  return ERROR_RULES[errorCode(thrown)].refuses === true;
}

interface DescribedError extends Omit<RequestErrorDetails, 'position' | 'failed'> {
  readonly code: ErrorCode;
  readonly message: string;
  readonly thrown: unknown;
  readonly position?: object | undefined;
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
  if (problem) {
    return JSON.stringify({
      type: `urn:gridkeep:error:${error.code.replace('/', ':')}`,
      title: error.message.split('\n', 1)[0],
      status: rule.status,
      detail: error.message,
      instance: `urn:gridkeep:request:${context.requestId}`,
      ...commonMembers(error, rule, context),
    });
  }
  if (rule.body === 'text') return JSON.stringify(error.message);
  if (rule.body === 'current' && error.current !== undefined) return error.current;
  return JSON.stringify({
    cause: error.message,
    message: error.message,
    ...commonMembers(error, rule, context),
  });
}

function commonMembers(error: DescribedError, rule: ErrorRule, context: ErrorContext): object {
  const { hint, status } = rule;
  return {
    code: error.code,
    failure: error.failure,
    ...error.failed,
    hint: error.hint ?? (context.hints === 'always' && status < 500 ? hint : undefined),
    position: error.position,
    unique: error.unique,
    entry: error.entry,
    ...error.range,
    trace: status === 500 ? traceOf(error.thrown, context.trace) : undefined,
  };
}
