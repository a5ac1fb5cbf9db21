// The service against its own OpenAPI document.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itHolds } from '../input/family.ts';
import { API, Service } from '../service.ts';
import { listOperations } from './request-arbitrary.ts';
import { AnswerChecker, openApiRequests, readDocument } from './requests.ts';

itHolds(openApiRequests);

test('control: an undocumented answer is detected', async () => {
  await using service = await Service.start();
  const document = await readDocument(service);
  const checker = new AnswerChecker(document);
  const operation = listOperations(document).find((found) => found.operationId === 'listRegions');
  assert.ok(operation !== undefined);
  const request = { operation, method: 'GET', path: API, headers: {} };
  const headers = { 'content-type': 'application/json', 'x-request-id': '1' };
  const text = '{"regions":[]}';
  checker.check(request, { status: 200, headers, text });
  assert.throws(() => checker.check(request, { status: 418, headers, text }));
  assert.throws(() => checker.check(request, { status: 200, headers, text: '{"regions":1}' }));
  const html = { ...headers, 'content-type': 'text/html' };
  assert.throws(() => checker.check(request, { status: 200, headers: html, text }));
});
