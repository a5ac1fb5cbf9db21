import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json } from '../http-client.ts';
import { onEveryEngine } from '../service.ts';

onEveryEngine('4.5 Read several keys', (service) => {
  const entries = { k1: '{"n":1}', k2: '{"n":2}', k3: '{"n":3.50}' };

  it('returns one element per key, in the order of the keys in the path', async () => {
    const region = await service().region(entries);
    const answer = await service().get(`/${region}/k3,k1,k2`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.text, `{"${region}":[{"n":3.50},{"n":1},{"n":2}]}`);
    assert.equal(answer.headers['content-location'], `${service().api}/${region}/k3,k1,k2`);
  });

  it('returns the same shape for one key', async () => {
    const region = await service().region(entries);
    const answer = await service().get(`/${region}/k2`);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, `{"${region}":[{"n":2}]}`);
    assert.equal(answer.headers['content-location'], `${service().api}/${region}/k2`);
  });

  it('returns two elements for a key named twice', async () => {
    const region = await service().region(entries);
    const answer = await service().get(`/${region}/k1,k2,k1`);
    assert.equal(answer.text, `{"${region}":[{"n":1},{"n":2},{"n":1}]}`);
  });

  it('answers 400 with a JSON string that names the missing keys and the region', async () => {
    const region = await service().region(entries);
    for (const suffix of ['', '?ignoreMissingKey=false', '?ignoreMissingKey=FALSE']) {
      const answer = await service().get(`/${region}/k9,k1,k7${suffix}`);
      assert.equal(answer.status, 400);
      assert.equal(answer.headers['content-type'], 'application/json');
      assert.equal(answer.text, `"Requested keys (k9,k7) do not exist in region (${region})"`);
    }
    const one = await service().get(`/${region}/%22`);
    assert.equal(one.text, `"Requested keys (\\") do not exist in region (${region})"`);
  });

  it('returns null for a missing key when ignoreMissingKey is true, in any letter case', async () => {
    const region = await service().region(entries);
    for (const word of ['true', 'TRUE', 'tRue']) {
      const answer = await service().get(`/${region}/k9,k1,k7?ignoreMissingKey=${word}`);
      assert.equal(answer.status, 200);
      assert.equal(answer.text, `{"${region}":[null,{"n":1},null]}`);
    }
    const alone = await service().get(`/${region}/k9?ignoreMissingKey=true`);
    assert.equal(alone.text, `{"${region}":[null]}`);
  });

  it('answers 400 when ignoreMissingKey is neither true nor false, before the region', async () => {
    for (const value of ['', 'yes', '1', 'truee', '%20true']) {
      const answer = await service().get(`/nowhere/k1?ignoreMissingKey=${value}`);
      assert.equal(answer.status, 400, value);
      const decoded = decodeURIComponent(value);
      assert.equal(
        Object(json(answer)).cause,
        `ignoreMissingKey (${decoded}) must be true or false`,
      );
      assert.equal(Object(json(answer)).code, 'request/bad-flag');
    }
    assert.equal((await service().get('/nowhere/k1?ignoreMissingKey')).status, 400);
    const twice = await service().get('/nowhere/k1?ignoreMissingKey=true&ignoreMissingKey=true');
    assert.equal(twice.status, 400);
  });

  it('answers 404 when the region does not exist', async () => {
    for (const path of ['/nowhere/k1', '/nowhere/k1,k2', '/nowhere/k1?ignoreMissingKey=true']) {
      const answer = await service().get(path);
      assert.equal(answer.status, 404);
      assert.equal(Object(json(answer)).cause, 'Region (nowhere) does not exist');
    }
  });

  it('suggests a region with a similar name', async () => {
    const region = await service().region();
    const answer = await service().get(`/${region.replace('region', 'regoin')}/k`);
    assert.match(Object(json(answer)).hint, /^did you mean region-\d+\?$/);
  });
});
