import assert from 'node:assert/strict';
import { it } from 'node:test';
import { manyEntries, onEveryEngine } from '../service.ts';

onEveryEngine('4.3 Region size', (service) => {
  it('returns the number of entries in Resource-Count, and no body', async () => {
    const region = await service().region(manyEntries(70));
    const answer = await service().send('HEAD', `/${region}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['resource-count'], '70');
    assert.equal(answer.text, '');
  });

  it('has the Content-Type application/json; charset=utf-8', async () => {
    const region = await service().region();
    const answer = await service().send('HEAD', `/${region}`);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['content-length'], undefined);
  });

  it('has the headers of the read of keys with keys=', async () => {
    const region = await service().region({ keys: '{"n":1}', b: '{}' });
    const get = await service().get(`/${region}?keys=keys`);
    const head = await service().send('HEAD', `/${region}?keys=keys`);
    assert.equal(head.status, 200);
    for (const name of ['etag', 'content-type', 'content-location', 'content-length']) {
      assert.equal(head.headers[name], get.headers[name], name);
    }
    assert.equal(head.headers['resource-count'], undefined);
    assert.equal((await service().send('HEAD', `/${region}?keys=none`)).status, 400);
  });

  it('follows every write', async () => {
    const region = await service().region();
    const count = async (): Promise<string | undefined> =>
      (await service().send('HEAD', `/${region}`)).headers['resource-count'];
    assert.equal(await count(), '0');
    await service().send('PUT', `/${region}/a,b`, { body: '[{},{}]' });
    assert.equal(await count(), '2');
    await service().send('PUT', `/${region}/b`, { body: '{"again":1}' });
    assert.equal(await count(), '2');
    await service().send('DELETE', `/${region}/a`);
    assert.equal(await count(), '1');
    await service().send('DELETE', `/${region}`);
    assert.equal(await count(), '0');
  });

  it('answers 404 without a body when the region does not exist', async () => {
    const answer = await service().send('HEAD', '/nowhere');
    assert.equal(answer.status, 404);
    assert.equal(answer.text, '');
    assert.equal(answer.headers['content-type'], 'application/json');
  });
});
