// PATCH changes part of an entry atomically.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../http-client.ts';
import { onEveryEngine } from '../service.ts';

const MERGE = 'application/merge-patch+json';
const OPERATIONS = 'application/json-patch+json';

function code(answer: Answer): unknown {
  return JSON.parse(answer.text).code;
}

onEveryEngine('PATCH', (service) => {
  const patch = (
    path: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    service().send('PATCH', path, { body, headers: { 'Content-Type': MERGE, ...headers } });

  it('merges, keeps the text of other members, and returns the new version', async () => {
    const region = await service().region({ a: '{"n":20.0,"\\u0062":[1e2],"c":{"d":1}}' });
    const answer = await patch(`/${region}/a`, '{"c": {"d": null, "e": 1.50}}');
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    const read = await service().get(`/${region}/a`);
    assert.equal(read.text, `{"${region}":[{"n":20.0,"\\u0062":[1e2],"c":{"e":1.50}}]}`);
    assert.equal(read.headers['etag'], answer.headers['etag']);
    const again = await patch(`/${region}?keys=a`, '{"n":1}', {
      'If-Match': read.headers['etag'] ?? '',
      Prefer: 'respond-async, return=representation',
    });
    assert.equal(again.text, '{"n":1,"\\u0062":[1e2],"c":{"e":1.50}}');
    assert.equal(again.headers['content-type'], 'application/json');
    assert.equal(again.headers['preference-applied'], 'return=representation');
  });

  it('applies the operations of a JSON Patch, all or none', async () => {
    const region = await service().region({ a: '{"l":[1,2],"n":1}' });
    const type = { 'Content-Type': `${OPERATIONS}; charset=utf-8` };
    const body = JSON.stringify([
      { op: 'test', path: '/n', value: 1.0 },
      { op: 'add', path: '/l/-', value: 3 },
      { op: 'move', from: '/n', path: '/m' },
    ]);
    assert.equal((await patch(`/${region}/a`, body, type)).status, 200);
    const failed = await patch(`/${region}/a`, body, type);
    assert.equal(failed.status, 409);
    assert.equal(code(failed), 'grid/patch-failed');
    assert.match(failed.text, /operation 0, \/n does not exist/);
    assert.deepEqual(await service().stored(region), { a: '{"l":[1,2,3],"m":1}' });
  });

  it('is atomic: no concurrent patch is lost', async () => {
    const region = await service().region({ a: '{}' });
    const names = Array.from({ length: 24 }, (_, i) => `m${i}`);
    const answers = await Promise.all(names.map((name) => patch(`/${region}/a`, `{"${name}":1}`)));
    assert.ok(answers.every(({ status }) => status === 200));
    const stored = (await service().stored(region))['a'] ?? '';
    assert.deepEqual(Object.keys(JSON.parse(stored)).sort(), names.sort());
  });

  it('refuses an invalid patch, key or value, and writes nothing', async () => {
    const region = await service().region({ a: '{"n":1}', b: '{}' });
    const operations = { 'Content-Type': OPERATIONS };
    const deep = `${'['.repeat(199)}${']'.repeat(199)}`;
    const cases: readonly (readonly [
      string,
      string,
      Readonly<Record<string, string>>,
      number,
      string,
    ])[] = [
      [`/${region}/a`, '{"n":', {}, 400, 'request/bad-json'],
      [`/${region}/a`, '', {}, 400, 'request/no-body'],
      [`/${region}/a`, '7', {}, 400, 'grid/bad-value'],
      [`/${region}/a`, '{}', operations, 400, 'request/bad-patch'],
      [`/${region}/a`, '[{"op":"spam","path":""}]', operations, 400, 'request/bad-patch'],
      [`/${region}/a`, '[{"op":"remove","path":"/x"}]', operations, 409, 'grid/patch-failed'],
      [`/${region}/a`, `{"m":{"x":${deep}}}`, {}, 400, 'request/bad-json'],
      [`/${region}/a,b`, '{}', {}, 400, 'request/bad-keys'],
      [`/${region}`, '{}', {}, 400, 'request/bad-keys'],
      [`/${region}/z`, '{}', {}, 404, 'grid/keys-not-found'],
      ['/nowhere/a', '{}', {}, 404, 'grid/region-not-found'],
      [`/${region}/a`, '{}', { 'If-Match': '"1"' }, 412, 'grid/precondition-failed'],
      [`/${region}/a`, '{}', { 'If-None-Match': '*' }, 412, 'grid/precondition-failed'],
    ];
    for (const [path, body, headers, status, expected] of cases) {
      const answer = await patch(path, body, headers);
      assert.equal(answer.status, status, `${path} ${body.slice(0, 40)}: ${answer.text}`);
      assert.equal(code(answer), expected);
    }
    assert.deepEqual(await service().stored(region), { a: '{"n":1}', b: '{}' });
  });

  it('refuses a result that is nested too deeply', async () => {
    const nested = (depth: number): string => `${'{"x":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const region = await service().region({ a: nested(150) });
    const path = `/x`.repeat(149);
    const body = `[{"op":"add","path":"${path}/y","value":${nested(150)}}]`;
    const answer = await patch(`/${region}/a`, body, { 'Content-Type': OPERATIONS });
    assert.equal(answer.status, 400);
    assert.equal(code(answer), 'request/bad-patch');
  });

  it('answers 415 with Accept-Patch to another media type, and 500 on an EMPTY region', async () => {
    const region = await service().region({ a: '{}' });
    for (const type of ['application/json', 'text/plain', `${MERGE}; charset=latin1`]) {
      const answer = await patch(`/${region}/a`, '{}', { 'Content-Type': type });
      assert.equal(answer.status, 415, type);
      assert.equal(answer.headers['accept-patch'], `${MERGE}, ${OPERATIONS}`);
    }
    const empty = await service().region({}, { type: 'EMPTY' });
    const answer = await patch(`/${empty}/a`, '{}');
    assert.equal(answer.status, 500);
    assert.equal(code(answer), 'grid/operation-not-supported');
  });
});
