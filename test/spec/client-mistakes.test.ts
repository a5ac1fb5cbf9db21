// Outside of the specification a mistake of a client is answered with a 4xx, a code and a hint. The
// answers of the specification's own paths keep their shape.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, json } from '../http-client.ts';
import { Service } from '../service.ts';

const LINES = { 'Content-Type': 'application/x-ndjson' };
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const PATCH = { 'Content-Type': 'application/json-patch+json' };
const OQL = { 'Content-Type': 'application/oql' };

type Mistake = readonly [
  method: string,
  path: string,
  status: number,
  body?: string | undefined,
  headers?: Readonly<Record<string, string>>,
];

const MISTAKES: readonly Mistake[] = [
  ['GET', '/none/_changes', 404],
  ['GET', '/orders/_changes?since=abc', 400],
  ['GET', '/orders/_changes?since=99999', 410],
  ['GET', '/orders/_changes?limit=0', 400],
  ['GET', '/orders/_changes?ops=bogus', 400],
  ['GET', '/orders/_changes?keys=', 400],
  ['GET', '/orders/_changes?where=(', 400],
  ['GET', '/orders/_changes?foo=1', 400],
  ['GET', '/_changes?regions=', 400],
  ['POST', '/orders/_changes', 405],
  ['GET', '/orders/_changes', 406, undefined, { Accept: 'text/html' }],
  ['GET', '/queries/none/_live', 404],
  ['GET', '/queries/adhoc/_live', 400],
  ['GET', '/queries/adhoc/_live?q=SELECT%20*%20FROM', 400],
  ['GET', '/queries/adhoc/_live?q=SELECT%20*%20FROM%20/none', 400],
  ['GET', '/queries/adhoc/_live?q=SELECT%20o.n/%27a%27%20FROM%20/orders%20o', 422],
  ['POST', '/queries/adhoc/_live', 400, '{}'],
  ['POST', '/orders/_bulk', 415, 'x', { 'Content-Type': 'text/csv' }],
  ['POST', '/orders/_bulk', 400, '{}'],
  ['POST', '/orders/_bulk?results=all', 400, '', LINES],
  ['POST', '/orders/_bulk?atomic=true', 400, 'x', LINES],
  ['POST', '/orders/_bulk?atomic=true', 409, '{"op":"create","key":"1","value":{}}', LINES],
  ['POST', '/orders/_bulk', 400, 'x', { ...LINES, 'Content-Encoding': 'gzip' }],
  ['POST', '/orders/_bulk', 415, 'x', { ...LINES, 'Content-Encoding': 'br' }],
  ['POST', '/_tx', 400],
  ['POST', '/_tx', 400, '{"do":1}'],
  ['POST', '/_tx', 400, '{'],
  ['POST', '/_tx', 404, '{"do":[{"op":"get","region":"none","key":"1"}]}'],
  ['POST', '/_tx', 409, '{"do":[{"op":"create","region":"orders","key":"1","value":{}}]}'],
  ['PATCH', '/orders/none', 404, '{}', MERGE],
  ['PATCH', '/orders/1', 400, '{', MERGE],
  ['PATCH', '/orders/1', 400, '{}', PATCH],
  ['PATCH', '/orders/1', 409, '[{"op":"remove","path":"/none"}]', PATCH],
  ['PATCH', '/orders/1', 412, '{}', { ...MERGE, 'If-Match': '"99"' }],
  ['PATCH', '/orders/1', 415, '{}'],
  ['PATCH', '/orders/1,2', 400, '{}', MERGE],
  ['QUERY', '/queries', 400, 'SELECT', OQL],
  ['QUERY', '/queries/none', 404, '[]'],
  ['DELETE', '/orders', 400, undefined, { 'Idempotency-Key': 'k' }],
  ['POST', '/orders?key=7', 400, '{}', { 'Idempotency-Key': 'é' }],
];

let service: Service;

before(async () => {
  service = await Service.start();
  await service.grid.createRegion({ name: 'orders' });
  await service.put('orders', { 1: '{"n":1}' });
});
after(() => service.stop());

function send([method, path, , body, headers]: Mistake): Promise<Answer> {
  return service.send(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  });
}

test('every mistake is a 4xx with its code and a hint', async () => {
  for (const mistake of MISTAKES) {
    const answer = await send(mistake);
    const what = `${mistake.slice(0, 4).join(' ')}: ${answer.text}`;
    assert.equal(answer.status, mistake[2], what);
    const { code, hint } = Object(json(answer));
    assert.match(code, /^[a-z]+\/[a-z-]+$/, what);
    assert.equal(typeof hint, 'string', what);
  }
});

test('paths of the specification have a hint only where the error has one', async () => {
  for (const path of ['/orders?limit=-1', '/orders/1?ignoreMissingKey=perhaps']) {
    const answer = await service.get(path);
    assert.equal(answer.status, 400);
    assert.equal(Object(json(answer)).hint, undefined, answer.text);
  }
});

test('each failed item of a bulk load has a hint, and its key where it names one', async () => {
  const items = [
    { key: 'a' },
    { key: 'b', value: {}, colour: 1 },
    { op: 'upsert', key: 'c', value: {} },
    { op: 'remove', key: 'd' },
    { key: 5, value: {} },
  ];
  const body = items.map((item) => JSON.stringify(item)).join('\n');
  const answer = await service.send('POST', '/orders/_bulk', { body, headers: LINES });
  assert.equal(answer.status, 207, answer.text);
  const failures = Object(json(answer)).failures as { key?: string; hint?: string }[];
  assert.deepEqual(
    failures.map(({ key }) => key),
    ['a', 'b', 'c', 'd', undefined],
  );
  for (const { hint } of failures) assert.equal(typeof hint, 'string', answer.text);
});

test('an atomic bulk load names the item, and its key', async () => {
  for (const [item, status, code, kind] of [
    [{ op: 'create', key: '1', value: {} }, 409, 'grid/condition-failed', 'absent'],
    [{ key: '1', value: {}, 'if-match': 99 }, 412, 'grid/precondition-failed', 'version'],
    [{ key: '1' }, 400, 'request/bad-body', undefined],
  ] as const) {
    const body = JSON.stringify([{ key: 'other', value: {} }, item]);
    const answer = await service.send('POST', '/orders/_bulk?atomic=true', { body });
    const error = Object(json(answer));
    assert.deepEqual([answer.status, error.code, error.kind], [status, code, kind], answer.text);
    assert.deepEqual([error.index, error.key, error.in], [1, '1', undefined], answer.text);
    assert.match(error.message, /item 1/i);
  }
});

test('a malformed element of a transaction is named by its list and index', async () => {
  const get = { op: 'get', region: 'orders', key: '1' };
  for (const [body, list, index, message] of [
    [{ do: [get, { ...get, op: 'frob' }] }, 'do', 1, /put, create, replace, remove, get$/],
    [{ if: [{ region: 'orders', key: '1' }], do: [get] }, 'if', 0, /needs one of/],
  ] as const) {
    const answer = await service.send('POST', '/_tx', { body: JSON.stringify(body) });
    const error = Object(json(answer));
    assert.deepEqual([answer.status, error.in, error.index], [400, list, index], answer.text);
    assert.match(error.message, message);
  }
});

test('conditions in headers are refused where the body names the keys', async () => {
  for (const header of ['If-Match', 'If-None-Match']) {
    for (const [path, body] of [
      ['/_tx', '{"do":[{"op":"put","region":"orders","key":"9","value":{}}]}'],
      ['/orders/_bulk', '[{"key":"9","value":{}}]'],
      ['/orders/_bulk?atomic=true', '[{"key":"9","value":{}}]'],
    ] as const) {
      const answer = await service.send('POST', path, { body, headers: { [header]: '"1"' } });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(Object(json(answer)).code, 'request/bad-precondition');
    }
  }
  assert.deepEqual(await service.stored('orders'), { 1: '{"n":1}' });
});
