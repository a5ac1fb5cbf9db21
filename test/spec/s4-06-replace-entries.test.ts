import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json } from '../http-client.ts';
import { onEveryEngine } from '../service.ts';

onEveryEngine('4.6 Replace entries', (service) => {
  it('replaces an entry that exists, and answers 200 with an empty body', async () => {
    const region = await service().region({ k1: '{"n":1}' });
    const body = '{"@type":"org.shop.Item", "n" : 2.50}';
    const answer = await service().send('PUT', `/${region}/k1?op=REPLACE`, { body });
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.equal(answer.headers['content-length'], '0');
    assert.equal(answer.headers['content-type'], undefined);
    assert.equal(answer.headers['location'], `${service().api}/${region}/k1`);
    assert.deepEqual(await service().stored(region), { k1: '{"@type":"org.shop.Item","n":2.50}' });
  });

  it('replaces every key of several from an array of as many values', async () => {
    const region = await service().region({ a: '{}', b: '{}', c: '{}' });
    const body = '[{"n":3},{"n":1}]';
    const answer = await service().send('PUT', `/${region}/c,a?op=REPLACE`, { body });
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.equal(answer.headers['location'], `${service().api}/${region}/c,a`);
    assert.deepEqual(await service().stored(region), { a: '{"n":1}', b: '{}', c: '{"n":3}' });
  });

  it('answers 400 naming the absent keys and the region, and writes nothing', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const one = await service().send('PUT', `/${region}/zz?op=REPLACE`, { body: '{}' });
    assert.equal(one.status, 400);
    assert.equal(one.text, `"Requested keys (zz) do not exist in region (${region})"`);
    const path = `/${region}/y,a,x?op=REPLACE`;
    const several = await service().send('PUT', path, { body: '[{},{},{}]' });
    assert.equal(several.status, 400);
    assert.equal(several.text, `"Requested keys (y,x) do not exist in region (${region})"`);
    assert.deepEqual(await service().stored(region), { a: '{"n":1}' });
  });

  it('answers 404 when the region is not found', async () => {
    const answer = await service().send('PUT', '/nowhere/k?op=REPLACE', { body: '{}' });
    assert.equal(answer.status, 404);
    assert.equal(Object(json(answer)).code, 'grid/region-not-found');
  });

  it('accepts only objects', async () => {
    const region = await service().region({ a: '{"n":1}', b: '{}' });
    for (const body of ['[{}]', '1', '"text"', 'null', 'true']) {
      const answer = await service().send('PUT', `/${region}/a?op=REPLACE`, { body });
      assert.equal(answer.status, 400, body);
      assert.equal(Object(json(answer)).code, 'grid/bad-value');
    }
    const nested = await service().send('PUT', `/${region}/a,b?op=REPLACE`, { body: '[{},[{}]]' });
    assert.equal(nested.status, 400);
    assert.deepEqual(await service().stored(region), { a: '{"n":1}', b: '{}' });
  });

  it('accepts op in any letter case', async () => {
    const region = await service().region({ a: '{}' });
    for (const op of ['REPLACE', 'replace', 'rePlace']) {
      const answer = await service().send('PUT', `/${region}/a?op=${op}`, {
        body: `{"op":"${op}"}`,
      });
      assert.equal(answer.status, 200);
    }
  });

  it('answers 400 for an unknown op, listing the valid words, and writes nothing', async () => {
    const region = await service().region({ a: '{"n":1}' });
    for (const op of ['REPLAC', '', 'DELETE', 'PUT%20']) {
      const answer = await service().send('PUT', `/${region}/a?op=${op}`, { body: '{}' });
      assert.equal(answer.status, 400, op);
      assert.equal(
        Object(json(answer)).cause,
        `op (${decodeURIComponent(op)}) must be one of PUT, REPLACE, CREATE, CAS`,
      );
    }
    assert.deepEqual(await service().stored(region), { a: '{"n":1}' });
  });
});
