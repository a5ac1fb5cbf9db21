// Requests generated from the service's own OpenAPI document, read over HTTP
// as a client would: each must get a documented status, with the documented
// media type and a body that fits the documented schema.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { SAMPLE_DECLARATIONS } from '../../src/sample/sample-declarations.ts';
import { makeCustomers, makeItems, makeOrders } from '../../src/sample/sample-entries.ts';
import type { Answer } from '../http-client.ts';
import { API, type Entries, Service } from '../service.ts';
import {
  type Document,
  type GeneratedRequest,
  listOperations,
  requestArbitrary,
} from './request-arbitrary.ts';

const REQUESTS = 5_000;

/** The grid is put back into shape after this many requests; they delete and destroy, too. */
const REPAIR_EVERY = 50;

/** Operations that generated requests cannot be expected to succeed with, and why. */
const NEVER_SUCCEEDS: ReadonlySet<string> = new Set([
  'cancelQuery', // no query runs long enough to be found by its number
]);

const sampleEntries: Readonly<Record<string, Entries>> = {
  customers: toEntries(makeCustomers().slice(0, 20)),
  items: toEntries(makeItems().slice(0, 20)),
  orders: toEntries(makeOrders().slice(0, 20)),
};

let service: Service;
let document: Document;

before(async () => {
  service = await Service.start();
  await repairGrid();
  document = JSON.parse((await service.get('/openapi.json')).text);
});

after(() => service.stop());

test(`${REQUESTS} requests made from the OpenAPI document get documented answers`, async () => {
  const ajv = createAjv();
  const operations = listOperations(document);
  assert.ok(operations.length > 30);
  const succeeded = new Set<string>();
  const statuses = new Map<number, number>();
  let sent = 0;

  await fc.assert(
    fc.asyncProperty(requestArbitrary(document, operations), async (request) => {
      sent += 1;
      if (sent % REPAIR_EVERY === 0) await repairGrid();
      const answer = await service.sendTo(request.method, request.path, request);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status < 300) succeeded.add(request.operation.operationId);
      checkAnswer(ajv, request, answer);
    }),
    { numRuns: REQUESTS, endOnFailure: true },
  );

  const unsuccessful = operations
    .map((operation) => operation.operationId)
    .filter((id) => !(succeeded.has(id) || NEVER_SUCCEEDS.has(id)));
  assert.deepEqual(unsuccessful, [], 'operations without any success');
  for (const status of [200, 201, 400, 404, 406, 409, 412, 500]) {
    assert.ok((statuses.get(status) ?? 0) > 0, `status ${status} never came`);
  }
});

test('an answer that is not documented would be found', () => {
  const ajv = createAjv();
  const operation = listOperations(document).find((found) => found.operationId === 'listRegions');
  assert.ok(operation !== undefined);
  const request = { operation, method: 'GET', path: API, headers: {} };
  const headers = { 'content-type': 'application/json', 'x-request-id': '1' };
  const text = '{"regions":[]}';
  checkAnswer(ajv, request, { status: 200, headers, text });
  assert.throws(() => checkAnswer(ajv, request, { status: 418, headers, text }));
  assert.throws(() => checkAnswer(ajv, request, { status: 200, headers, text: '{"regions":1}' }));
  const html = { ...headers, 'content-type': 'text/html' };
  assert.throws(() => checkAnswer(ajv, request, { status: 200, headers: html, text }));
});

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  return ajv;
}

function checkAnswer(ajv: Ajv2020, { method, operation }: GeneratedRequest, answer: Answer): void {
  const { headers, status, text } = answer;
  const shown = `${operation.operationId} answered ${status} ${text.slice(0, 500)}`;
  const response = operation.responses[status];
  assert.ok(response !== undefined, `status is not documented: ${shown}`);
  assert.ok(headers['x-request-id'] !== undefined, shown);
  const isCommon = response.$ref !== undefined;
  const { content } = isCommon ? (document.components.responses[status] ?? {}) : response;
  if (method === 'HEAD' || content === undefined) {
    assert.equal(text, '', shown);
    return;
  }
  const type = headers['content-type'] ?? '';
  assert.ok(Object.hasOwn(content, type), `media type ${type} is not documented: ${shown}`);
  const pointer = isCommon ? '/components' : operation.pointer;
  const schema = `${pointer}/responses/${status}/content/${escapePointer(type)}/schema`;
  const validate = ajv.getSchema(`openapi#${schema}`);
  assert.ok(validate !== undefined, schema);
  const body: unknown = type.includes('json') ? JSON.parse(text) : text;
  assert.ok(validate(body), `${ajv.errorsText(validate.errors)}: ${shown}`);
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

async function repairGrid(): Promise<void> {
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
