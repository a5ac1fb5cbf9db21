// PATCH: changes parts of an entry, by RFC 7396 or RFC 6902.

import { checkJson } from '../../value/json-check.ts';
import {
  applyJsonPatch,
  type PatchLimits,
  type PatchOutcome,
  parseJsonPatch,
} from '../../value/json-patch.ts';
import { JsonTextError } from '../../value/json-text.ts';
import { applyMergePatch } from '../../value/merge-patch.ts';
import { badPatch } from '../errors.ts';
import type { PatchEntry } from '../intent/intent.ts';
import { MAX_PATCH_OPERATIONS, PATCH_TYPES } from '../request/body-types.ts';
import { entriesAddress } from '../response/addresses.ts';
import { type AnswerTemplate, fillAnswer, VERSION } from '../response/answer-template.ts';
import { JSON_TYPE } from '../response/media-types.ts';
import type { Handler } from './handler.ts';
import { writeIdempotently } from './idempotent-write.ts';

export const patchEntry: Handler<'patch-entry'> = (intent, request, api) => {
  const { maxBodyBytes, maxJsonDepth } = api.limits;
  // Operations add levels around values, which may be as deep as any value.
  const depth = intent.patch === 'merge' ? maxJsonDepth : maxJsonDepth + 2;
  const limits = { ...api.limits, maxJsonDepth: depth, mediaTypes: [...PATCH_TYPES.keys()] };
  return writeIdempotently(
    intent,
    { request, api },
    () => request.readJson(limits),
    async (readBody, storeAnswer) => {
      const region = await api.grid.region(intent.region);
      const apply = toPatch(intent.patch, await readBody(), {
        maxOperations: MAX_PATCH_OPERATIONS,
        maxReadLength: maxBodyBytes,
      });
      const toAnswer = (value: string): AnswerTemplate => answerPatch(intent, request.base, value);
      const { value, version } = await region.patch(
        intent,
        (current) => refuseTooDeep(apply(current), maxJsonDepth),
        intent.preconditions,
        storeAnswer && ((patched) => storeAnswer(toAnswer(patched))),
      );
      return fillAnswer(toAnswer(value), version);
    },
  );
};

function answerPatch(
  { key, region, returns }: PatchEntry,
  base: string,
  body: string,
): AnswerTemplate {
  const headers = ['Location', entriesAddress(base, region, [key]), 'ETag', `"${VERSION}"`];
  if (returns === 'nothing') return { status: 200, headers };
  headers.push('Preference-Applied', 'return=representation');
  return { status: 200, contentType: JSON_TYPE, headers, body };
}

function toPatch(
  kind: PatchEntry['patch'],
  body: string,
  limits: PatchLimits,
): (current: string) => PatchOutcome {
  if (kind === 'merge') {
    return (current) => ({ kind: 'applied', text: applyMergePatch(current, body) });
  }
  const operations = parseJsonPatch(body, limits);
  if (typeof operations === 'string') throw badPatch(operations);
  return (current) => applyJsonPatch(current, operations, limits);
}

/** A patch can nest one value of the permitted depth in another. */
function refuseTooDeep(outcome: PatchOutcome, maxDepth: number): PatchOutcome {
  if (outcome.kind === 'failed') return outcome;
  try {
    checkJson(Buffer.from(outcome.text), { maxDepth });
    return outcome;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw badPatch(`The patched value is not permitted: ${error.message}`);
  }
}
