// Writes that are done once, however often they are sent. The answer of a request with an
// idempotency key is written in the commit that does it; a repeat finds it there. Nothing is kept of
// a request that failed, for nothing was done.

import { hash } from 'node:crypto';
import { AnswerKeptError, type RegionWrite } from '../../grid/index.ts';
import { idempotencyKeyInUse, idempotencyKeyReused } from '../errors.ts';
import type { Intent } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import {
  type AnswerTemplate,
  fillAnswer,
  parseTemplate,
  printTemplate,
} from '../response/answer-template.ts';
import type { ApiResponse } from '../response/api-response.ts';
import type { Api } from './handler.ts';

/** The write that keeps the answer, part of the commit that the answer reports. */
export type Keep = (answer: AnswerTemplate) => RegionWrite;

/** Reads the body and writes; `keep` is given when the answer is to be kept. */
type Write = (
  readBody: () => Promise<string> | string,
  keep: Keep | undefined,
) => Promise<ApiResponse>;

/** Requests with an idempotency key that are being answered by this server, by their place. */
export type RunningOnce = Map<string, string>;

type OnceIntent = Intent & { readonly idempotencyKey?: string | undefined };

interface OnceContext {
  readonly request: ApiRequest;
  readonly api: Api;
}

export function once(
  intent: OnceIntent,
  context: OnceContext,
  readBody: () => Promise<string> | string,
  write: Write,
): Promise<ApiResponse> {
  // Most writes have none.
  return intent.idempotencyKey === undefined
    ? write(readBody, undefined)
    : runOnce(intent, context, readBody, write);
}

async function runOnce(
  { idempotencyKey, ...rest }: OnceIntent,
  { request, api }: OnceContext,
  readBody: () => Promise<string> | string,
  write: Write,
): Promise<ApiResponse> {
  const body = await readBody();
  const digest = hash('sha256', `${JSON.stringify(rest)}\n${body}`, 'base64url');
  // Of a fixed length, and different for each login.
  const place = hash(
    'sha256',
    JSON.stringify([request.principal.login, idempotencyKey]),
    'base64url',
  );
  const running = api.runningOnce.get(place);
  if (running !== undefined)
    throw running === digest ? idempotencyKeyInUse() : idempotencyKeyReused();
  api.runningOnce.set(place, digest);
  try {
    return await answerOnce(api, { place, digest }, (keep) => write(() => body, keep));
  } finally {
    api.runningOnce.delete(place);
  }
}

async function answerOnce(
  { grid, onReplay }: Api,
  { digest, place }: { readonly place: string; readonly digest: string },
  write: (keep: Keep) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { keptAnswers } = grid;
  for (;;) {
    const found = await keptAnswers.find(place);
    if ('answer' in found) {
      const template = parseTemplate(found.answer);
      if (template.digest !== digest) throw idempotencyKeyReused();
      onReplay();
      const answer = fillAnswer(template, found.version);
      return { ...answer, headers: [...answer.headers, 'Idempotent-Replayed', 'true'] };
    }
    try {
      return await write((answer) => keptAnswers.toWrite(found, printTemplate(answer, digest)));
    } catch (error) {
      // Another server of the store was asked the same, and was faster.
      if (!(error instanceof AnswerKeptError)) throw error;
    }
  }
}
