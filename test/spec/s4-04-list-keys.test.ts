import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json } from '../http-client.ts';
import { manyEntries, onEveryEngine } from '../service.ts';

onEveryEngine('4.4 List keys of a region', (service) => {
  it('returns all keys in order', async () => {
    const region = await service().region({ b: '{}', 'a,"b\\': '{}', '\u00e9': '{}' });
    const answer = await service().get(`/${region}/keys`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.text, '{"keys":["a,\\"b\\\\","b","\u00e9"]}');
    assert.equal(answer.headers['location'], `${service().api}/${region}/keys`);
  });

  it('returns an empty list for a region without entries', async () => {
    const region = await service().region();
    assert.equal((await service().get(`/${region}/keys`)).text, '{"keys":[]}');
  });

  it('returns more keys than one batch has', async () => {
    const entries = manyEntries(5000, 0);
    const region = await service().region(entries);
    const answer = await service().get(`/${region}/keys`);
    assert.deepEqual(json(answer), { keys: Object.keys(entries) });
  });

  it('answers 404 when the region does not exist', async () => {
    const answer = await service().get('/nowhere/keys');
    assert.equal(answer.status, 404);
    assert.equal(Object(json(answer)).cause, 'Region (nowhere) does not exist');
  });

  it('answers 405 with Allow: GET for any other method, before the region lookup', async () => {
    const region = await service().region();
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
      for (const name of [region, 'nowhere']) {
        const answer = await service().send(method, `/${name}/keys`);
        assert.equal(answer.status, 405, method);
        assert.equal(answer.headers['allow'], 'GET');
      }
    }
  });

  it('leaves OPTIONS to CORS', async () => {
    const answer = await service().send('OPTIONS', '/nowhere/keys');
    assert.equal(answer.status, 204);
    assert.equal(answer.headers['allow'], 'GET, OPTIONS');
  });

  it('is selected by keys in the path, escaped or not; other requests read a key of that name', async () => {
    const region = await service().region({ keys: '{"a":1}' });
    assert.equal((await service().get(`/${region}/%6Beys`)).text, '{"keys":["keys"]}');
    assert.equal((await service().get(`/${region}?keys=keys`)).text, `{"${region}":[{"a":1}]}`);
    assert.equal(
      (await service().get(`/${region}/keys,keys`)).text,
      `{"${region}":[{"a":1},{"a":1}]}`,
    );
  });
});
