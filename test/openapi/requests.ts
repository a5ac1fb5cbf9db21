// I8, requests generated from the service's own OpenAPI document: each must get a documented status, with
// the documented media type and a body that matches the documented schema.

import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SAMPLE_DECLARATIONS } from '../../src/sample/sample-declarations.ts';
import { makeCustomers, makeItems, makeOrders } from '../../src/sample/sample-entries.ts';
import type { Answer } from '../http-client.ts';
import { checkGenerated, type Family, type Figures, replay, type Work } from '../input/family.ts';
import { type Entries, Service } from '../service.ts';
import {
  type Document,
  type GeneratedRequest,
  listOperations,
  type Operation,
  requestArbitrary,
} from './request-arbitrary.ts';

/** The grid is repaired after this many requests, because they also delete and destroy. */
const REPAIR_EVERY = 50;

/** Operations for which generated requests need not succeed, and why. */
const NEVER_SUCCEEDS: ReadonlySet<string> = new Set([
  'cancelQuery', // no query runs long enough to be found by its number
  'restoreEntry', // versions are not known beforehand
]);

const sampleEntries: Readonly<Record<string, Entries>> = {
  customers: toEntries(makeCustomers().slice(0, 20)),
  items: toEntries(makeItems().slice(0, 20)),
  orders: toEntries(makeOrders().slice(0, 20)),
};

/** From this number of requests on, every operation must have succeeded once. */
const ENOUGH_FOR_ALL_OPERATIONS = 5_000;
/** Additional requests for an operation that has not succeeded. */
const REQUESTS_OF_ITS_OWN = 500;

export const openApiRequests: Family = {
  id: 'I8',
  title: 'requests made from the OpenAPI document',
  bar: 'documented status, media type and schema',
  cases: 5_000,
  benchCases: 5_000,
  run: runOpenApiRequests,
};

/** Matches requests for a plan. */
const PLAN = /\/queries\/.*[?&](explain|analyze)=true/i;

interface FoundRequest {
  readonly operationId: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function runOpenApiRequests(work: Work): Promise<Figures> {
  await using service = await Service.start();
  await repairGrid(service);
  const document = await readDocument(service);
  const operations = listOperations(document);
  assert.ok(operations.length > 30);
  const checker = new AnswerChecker(document);
  const succeeded = new Set<string>();
  const statuses = new Map<number, number>();
  const send = async (request: GeneratedRequest): Promise<void> => {
    const answer = await service.sendTo(request.method, request.path, request);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status < 400) succeeded.add(request.operation.operationId);
    checker.check(request, answer);
  };

  const replayed = await replay('I8', async (found: FoundRequest) => {
    const operation = operations.find(({ operationId }) => operationId === found.operationId);
    assert.ok(operation !== undefined, `no operation is called ${found.operationId}`);
    await send({ headers: {}, ...found, operation, method: operation.method });
  });
  const checkRequests = (targets: readonly Operation[], cases: number): Promise<number> => {
    const arbitrary = requestArbitrary(document, operations, targets);
    const plan = { ...work, cases, atOnce: REPAIR_EVERY };
    return checkGenerated(arbitrary, plan, async (batch) => {
      await repairGrid(service);
      service.observations.length = 0;
      for (const request of batch) await send(request);
    });
  };
  const listUnsuccessful = (): readonly Operation[] =>
    operations.filter(({ operationId: id }) => !(succeeded.has(id) || NEVER_SUCCEEDS.has(id)));
  const done = await checkRequests(operations, work.cases);

  if (done >= ENOUGH_FOR_ALL_OPERATIONS) {
    // An operation has few of the requests, and all of them may have failed by chance.
    const missed = listUnsuccessful();
    if (missed.length > 0) await checkRequests(missed, missed.length * REQUESTS_OF_ITS_OWN);
    const unsuccessful = listUnsuccessful().map(({ operationId }) => operationId);
    assert.deepEqual(unsuccessful, [], 'operations without any success');
    for (const status of [200, 201, 400, 404, 406, 409, 412, 500]) {
      assert.ok((statuses.get(status) ?? 0) > 0, `status ${status} never occurred`);
    }
  }
  const outcome = `${operations.length} operations, ${statuses.size} different statuses`;
  return { cases: done, replayed, outcome };
}

/** The document as a client reads it. */
export async function readDocument(service: Service): Promise<Document> {
  return JSON.parse((await service.get('/openapi.json')).text);
}

/** Checks answers against the document. */
export class AnswerChecker {
  readonly #document: Document;
  readonly #ajv: Ajv2020 = new Ajv2020({ strict: false, validateFormats: false });

  constructor(document: Document) {
    this.#document = document;
    this.#ajv.addSchema(document, 'openapi');
  }

  check({ method, operation, path }: GeneratedRequest, answer: Answer): void {
    const { headers, status, text } = answer;
    const shown = `${operation.operationId} ${path} answered ${status} ${text.slice(0, 500)}`;
    const response = operation.responses[status];
    assert.ok(response !== undefined, `status is not documented: ${shown}`);
    assert.ok(headers['x-request-id'] !== undefined, shown);
    const isCommon = response.$ref !== undefined;
    const described = isCommon ? (this.#document.components.responses[status] ?? {}) : response;
    const { content } = described;
    for (const name of Object.keys(this.#document.components.headers)) {
      if (headers[name.toLowerCase()] === undefined) continue;
      assert.ok(
        Object.hasOwn(described.headers ?? {}, name),
        `${name} is not documented: ${shown}`,
      );
    }
    if (method === 'HEAD' || content === undefined) {
      assert.equal(text, '', shown);
      return;
    }
    // PATCH returns the value only on request.
    if (method === 'PATCH' && status === 200 && text === '') return;
    const type = headers['content-type'] ?? '';
    assert.ok(Object.hasOwn(content, type), `media type ${type} is not documented: ${shown}`);
    const pointer = isCommon ? '/components' : operation.pointer;
    // A plan as plain JSON has the media type of results, because generators support no choice of schemas.
    const isPlan = status === 200 && type === 'application/json' && PLAN.test(path);
    const schema = isPlan
      ? '/components/schemas/Explanation'
      : `${pointer}/responses/${status}/content/${escapePointer(type)}/schema`;
    const validate = this.#ajv.getSchema(`openapi#${schema}`);
    assert.ok(validate !== undefined, schema);
    const isJson = type.includes('json') && !type.includes('ndjson');
    const body: unknown = isJson ? JSON.parse(text) : text;
    assert.ok(validate(body), `${this.#ajv.errorsText(validate.errors)}: ${shown}`);
  }
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

async function repairGrid(service: Service): Promise<void> {
  const { grid } = service;
  const regions = new Set((await grid.describeRegions()).map((region) => region.name));
  for (const { indexes, ...region } of SAMPLE_DECLARATIONS.regions) {
    if (!regions.has(region.name)) await grid.createRegion(region);
    await service.put(region.name, sampleEntries[region.name] ?? {});
    const defined = (await grid.describeRegion(region.name)).indexes.map((index) => index.name);
    for (const index of indexes) {
      if (!defined.includes(index.name)) await grid.createIndex(region.name, index);
    }
  }
  const queries = await grid.listQueries();
  for (const query of SAMPLE_DECLARATIONS.queries) {
    const exists = queries.some((text) => text.startsWith(`{"id":"${query.id}",`));
    await (exists ? grid.updateQuery(query) : grid.createQuery(query));
  }
}

function toEntries(list: readonly { readonly key: string; readonly value: string }[]): Entries {
  return Object.fromEntries(list.map(({ key, value }) => [key, value]));
}
