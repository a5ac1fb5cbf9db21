// Idempotent writes: a repeated request is not executed again. The answer to a request with an
// idempotency key is stored in the same commit as its changes, and a repeat is answered from it. A
// failed request stores no answer, because it changed nothing.

import { hash } from 'node:crypto';
import { AnswerStoredError, type RegionWrite } from '../../grid/index.ts';
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

/** The write that stores the answer, in the same commit as the changes. */
export type StoreAnswer = (answer: AnswerTemplate) => RegionWrite;

/** Reads the body and writes; `storeAnswer` is present if the answer must be stored. */
type Write = (
  readBody: () => Promise<string> | string,
  storeAnswer: StoreAnswer | undefined,
) => Promise<ApiResponse>;

type IdempotentIntent = Intent & { readonly idempotencyKey?: string | undefined };

interface IdempotentContext {
  readonly request: ApiRequest;
  readonly api: Api;
}

export function writeIdempotently(
  intent: IdempotentIntent,
  context: IdempotentContext,
  readBody: () => Promise<string> | string,
  write: Write,
): Promise<ApiResponse> {
  // Most writes have no key.
  return intent.idempotencyKey === undefined
    ? write(readBody, undefined)
    : runOrReplay(intent, context, readBody, write);
}

async function runOrReplay(
  { idempotencyKey, ...rest }: IdempotentIntent,
  { request, api }: IdempotentContext,
  readBody: () => Promise<string> | string,
  write: Write,
): Promise<ApiResponse> {
  const body = await readBody();
  const digest = hash('sha256', `${JSON.stringify(rest)}\n${body}`, 'base64url');
  // Has a fixed length, and differs between logins.
  const recordKey = hash(
    'sha256',
    JSON.stringify([request.principal.login, idempotencyKey]),
    'base64url',
  );
  const runningDigest = api.idempotentRequests.get(recordKey);
  if (runningDigest !== undefined)
    throw runningDigest === digest ? idempotencyKeyInUse() : idempotencyKeyReused();
  api.idempotentRequests.set(recordKey, digest);
  try {
    const record = { recordKey, digest, base: request.base };
    return await answerWithReplay(api, record, (storeAnswer) => write(() => body, storeAnswer));
  } finally {
    api.idempotentRequests.delete(recordKey);
  }
}

async function answerWithReplay(
  { grid, onReplay }: Api,
  { base, digest, recordKey }: Record<'base' | 'digest' | 'recordKey', string>,
  write: (storeAnswer: StoreAnswer) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { storedAnswers } = grid;
  for (;;) {
    const stored = await storedAnswers.find(recordKey);
    if ('answer' in stored) {
      const template = parseTemplate(stored.answer, base);
      if (template.digest !== digest) throw idempotencyKeyReused();
      onReplay();
      const answer = fillAnswer(template, stored.version);
      return { ...answer, headers: [...answer.headers, 'Idempotent-Replayed', 'true'] };
    }
    try {
      return await write((answer) =>
        storedAnswers.toWrite(stored, printTemplate(answer, digest, base)),
      );
    } catch (error) {
      // Another server of the store committed the same request first.
      if (!(error instanceof AnswerStoredError)) throw error;
    }
  }
}
