// Bulk loads: any number of writes to one region in one request.

import { type EntryOperation, GridError } from '../../grid/index.ts';
import { kindOfJson, splitObject } from '../../value/json-text.ts';
import { printAmount } from '../../value/print-amount.ts';
import { authoriseEntry } from '../auth/access-rules.ts';
import { redactError } from '../auth/redact-error.ts';
import { badBody, RequestError, tooManyOperations } from '../errors.ts';
import type { Bulk } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { oneDeeper, toJsonText } from '../request/body.ts';
import {
  type BodyItem,
  ElementSplitter,
  type ItemSplitter,
  LineSplitter,
} from '../request/body-items.ts';
import {
  membersOf,
  OPERATION_MEMBERS,
  parseEntryOperation,
  parsePlainPut,
} from '../request/entry-operation.ts';
import { type AnswerTemplate, fillAnswer, VERSION } from '../response/answer-template.ts';
import type { ApiResponse } from '../response/api-response.ts';
import { describeFailure } from '../response/error-response.ts';
import { JSON_TYPE, NDJSON_TYPE } from '../response/media-types.ts';
import { BulkRun } from './bulk-run.ts';
import type { Api, Handler } from './handler.ts';
import { writeIdempotently } from './idempotent-write.ts';

/** Bytes of a line besides its value. */
const ROOM_AROUND_VALUE = 16 * 1024;

export const bulk: Handler<'bulk'> = async (intent, request, api) => {
  if (intent.isAtomic) return bulkAtomic(intent, request, api);
  const load = await api.grid.bulkLoad(intent.region);
  const run = new BulkRun({
    load,
    pieces: request.readPieces(api.limits),
    splitter: createSplitter(intent, api),
    parse: createParser(intent, request, api),
    redact: (error) => redactError(error, intent, request.principal),
    draining: api.longPolls.draining,
    hasLines: intent.results === 'stream',
  });
  if (intent.results === 'stream') {
    const body = printLines(run, api);
    return { status: 207, contentType: NDJSON_TYPE, headers: [], body, beginsAtOnce: true };
  }
  try {
    for await (const _batch of run.run());
  } finally {
    api.onBulk(run.summary);
  }
  const status = run.summary.failed === 0 ? 200 : 207;
  return { status, contentType: JSON_TYPE, headers: [], body: run.printSummary() };
};

/** A line per item, then the summary; a failure midway is a line too. */
async function* printLines(run: BulkRun, api: Api): AsyncGenerator<string> {
  try {
    for await (const lines of run.run()) yield `${lines.join('\n')}\n`;
  } catch (error) {
    yield `{"@error":${JSON.stringify(describeFailure(error))}}\n`;
  } finally {
    api.onBulk(run.summary);
  }
  yield `${run.printSummary()}\n`;
}

/** All or nothing, as one commit. All items are held in memory, so their number is bounded. */
async function bulkAtomic(intent: Bulk, request: ApiRequest, api: Api): Promise<ApiResponse> {
  return writeIdempotently(
    intent,
    { request, api },
    async () => (await request.readBytes(api.limits))?.toString('latin1') ?? '',
    async (readBody, storeAnswer) => {
      const bytes = Buffer.from(await readBody(), 'latin1');
      const operations = await parseAll(bytes, intent, request, api);
      const answer: AnswerTemplate = {
        status: 200,
        contentType: JSON_TYPE,
        headers: [],
        body: `{"succeeded":${operations.length},"failed":0,"sequence":${VERSION},"failures":[]}`,
      };
      const { region } = intent;
      // An unknown region is an error even for an empty list.
      await api.grid.region(region);
      const transaction = {
        conditions: [],
        operations: operations.map((operation) => ({ region, ...operation })),
        end: 'keep',
      } as const;
      const { version } = await api.grid
        .transact(transaction, storeAnswer && (() => storeAnswer(answer)))
        .catch((error: unknown) => {
          throw toItemError(error, operations);
        });
      api.onBulk({ succeeded: operations.length, failed: 0 });
      return fillAnswer(answer, version);
    },
  );
}

async function parseAll(
  bytes: Buffer,
  intent: Bulk,
  request: ApiRequest,
  api: Api,
): Promise<readonly EntryOperation[]> {
  const items: BodyItem[] = [];
  const splitter = createSplitter(intent, api);
  splitter.push(bytes, (item) => items.push(item));
  splitter.end((item) => items.push(item));
  const { maxAtomicItems } = api.limits;
  if (items.length > maxAtomicItems) {
    throw tooManyOperations(
      `An atomic bulk load may have ${printAmount(maxAtomicItems, 'item')} at most`,
    );
  }
  const parse = createParser(intent, request, api);
  const operations: EntryOperation[] = [];
  for (const [index, item] of items.entries()) {
    try {
      if (item.kind === 'failed') throw item.error;
      operations.push(await parse(item.bytes));
    } catch (error) {
      throw nameItem(error, index);
    }
  }
  return operations;
}

/** An item whose `if-match` does not hold is reported as 412, as for the header of that name. */
function toItemError(error: unknown, operations: readonly EntryOperation[]): unknown {
  if (!(error instanceof GridError)) return error;
  const { failed } = error.details;
  if (failed === undefined || !('in' in failed)) return error;
  const { in: list, ...item } = failed;
  const name = `${list}[${item.index}]`;
  if (error.code === 'grid/not-unique') {
    return new GridError(error.code, error.message, { ...error.details, failed: item });
  }
  if (error.code !== 'grid/condition-failed') {
    const message = error.message.replace(name, `Item ${item.index}`);
    return new GridError(error.code, message, { ...error.details, failed: item });
  }
  const message = error.message.replace(name, `item ${item.index}`);
  const hasCondition = operations[item.index]?.ifMatch !== undefined;
  const code = hasCondition ? 'grid/precondition-failed' : error.code;
  return new GridError(code, message, { failed: item });
}

function nameItem(error: unknown, index: number): unknown {
  if (error instanceof RequestError) {
    const message = `Item ${index}: ${error.message}`;
    const failed = { ...error.details.failed, index };
    return new RequestError(error.code, message, { ...error.details, failed });
  }
  return error instanceof GridError ? badBody(`Item ${index}: ${error.message}`) : error;
}

/** The failure of an item names its key, where it has one. */
function nameKey(error: unknown, compact: string): unknown {
  if (!(error instanceof RequestError) || kindOfJson(compact) !== 'object') return error;
  const text = splitObject(compact).get('key');
  if (text === undefined || kindOfJson(text) !== 'string') return error;
  const key = JSON.parse(text) as string; // a string literal of checked text
  return new RequestError(error.code, error.message, { ...error.details, failed: { key } });
}

function createSplitter({ form }: Bulk, { limits }: Api): ItemSplitter {
  const maxBytes = limits.maxBodyBytes + ROOM_AROUND_VALUE;
  return form === 'lines' ? new LineSplitter(maxBytes) : new ElementSplitter(maxBytes);
}

function createParser(
  { region }: Bulk,
  { principal }: ApiRequest,
  { limits }: Api,
): (bytes: Buffer) => EntryOperation | Promise<EntryOperation> {
  const mayAll = principal.permissions.allows(['DATA', 'WRITE', region]);
  const itemLimits = oneDeeper(limits);
  const toOperation = (compact: string): EntryOperation => {
    try {
      const operation =
        parsePlainPut(compact) ??
        parseEntryOperation(membersOf(compact, OPERATION_MEMBERS, 'An item'));
      if (!mayAll) authoriseEntry(principal, 'WRITE', region, operation.key);
      return operation;
    } catch (error) {
      throw nameKey(error, compact);
    }
  };
  return (bytes) => {
    const compact = toJsonText(bytes, itemLimits);
    return typeof compact === 'string' ? toOperation(compact) : compact.then(toOperation);
  };
}
