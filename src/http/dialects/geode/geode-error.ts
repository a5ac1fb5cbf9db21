// Errors in Geode's own words: a code of ours for the log, Geode's status and text for the client.

import { RequestError } from '../../errors.ts';
import type { RequestErrorCode } from '../../response/error-rules.ts';

/** Geode's errors have one member: `cause` for most, `message` where an operation failed. */
export type ErrorMember = 'cause' | 'message';

export class GeodeError extends RequestError {
  readonly status: number;
  readonly member: ErrorMember;
  /** Geode sends some errors as an ordinary answer, with a charset. */
  readonly isAnswer: boolean;

  constructor(
    code: RequestErrorCode,
    text: string,
    shape: { readonly status: number; readonly member?: ErrorMember; readonly isAnswer?: boolean },
  ) {
    super(code, text);
    this.name = 'GeodeError';
    this.status = shape.status;
    this.member = shape.member ?? 'cause';
    this.isAnswer = shape.isAnswer ?? false;
  }
}

/** `{"cause": text}`. */
export function refuse(code: RequestErrorCode, status: number, text: string): GeodeError {
  return new GeodeError(code, text, { status });
}

/** `{"cause": text}` with 400, as an answer. */
export function answerBadRequest(code: RequestErrorCode, text: string): GeodeError {
  return new GeodeError(code, text, { status: 400, isAnswer: true });
}

/** `{"message": text}` with 500. */
export function failOperation(code: RequestErrorCode, text: string): GeodeError {
  return new GeodeError(code, text, { status: 500, member: 'message' });
}
