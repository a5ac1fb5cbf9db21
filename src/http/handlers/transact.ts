// Transactions: operations on entries of any regions as one commit.

import type { TransactionResult } from '../../grid/index.ts';
import { authoriseEntry } from '../auth/access-rules.ts';
import type { Principal } from '../auth/principal.ts';
import {
  parseTransaction,
  TRANSACTION_DEPTH,
  type TransactionBody,
} from '../request/transaction-body.ts';
import { type AnswerTemplate, fillAnswer, VERSION } from '../response/answer-template.ts';
import { JSON_TYPE } from '../response/media-types.ts';
import type { Handler } from './handler.ts';
import { writeIdempotently } from './idempotent-write.ts';

export const transact: Handler<'transact'> = (intent, request, api) => {
  const { end } = intent;
  const maxJsonDepth = api.limits.maxJsonDepth + TRANSACTION_DEPTH;
  let body: TransactionBody = { conditions: [], operations: [] };
  return writeIdempotently(
    // A transaction that is rolled back stores no answer.
    end === 'roll-back' ? { ...intent, idempotencyKey: undefined } : intent,
    { request, api },
    async () => {
      const text = await request.readJson({ ...api.limits, maxJsonDepth });
      body = parseTransaction(text);
      // Checked here, so that a stored answer is sent only to a login that may still read its
      // values.
      authoriseAll(body, request.principal);
      return text;
    },
    async (readBody, storeAnswer) => {
      await readBody();
      const toAnswer = (results: TransactionResult['results']): AnswerTemplate => ({
        status: 200,
        contentType: JSON_TYPE,
        headers: end === 'roll-back' ? ['Preference-Applied', 'tx=rollback'] : [],
        body: `{"sequence":${VERSION},"results":[${results.map(printResult).join()}]}`,
      });
      const { results, version } = await api.grid.transact(
        { ...body, end },
        storeAnswer && ((executed) => storeAnswer(toAnswer(executed))),
      );
      return fillAnswer(toAnswer(results), version);
    },
  );
};

/** A condition reveals something about its entry, so it needs the right to read or write it. */
function authoriseAll({ conditions, operations }: TransactionBody, principal: Principal): void {
  for (const { key, region } of conditions) authoriseEntry(principal, 'READ-OR-WRITE', region, key);
  for (const { key, op, region } of operations) {
    authoriseEntry(principal, op === 'get' ? 'READ' : 'WRITE', region, key);
  }
}

function printResult(result: TransactionResult['results'][number]): string {
  if (result === undefined) return 'null';
  const version = result.version ?? VERSION;
  return result.value === undefined
    ? `{"version":${version}}`
    : `{"version":${version},"value":${result.value}}`;
}
