// After a restart everything that was acknowledged is there, with its versions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { json } from '../http-client.ts';
import { ADMIN, Service } from '../service.ts';

describe('Restart on the same store (sqlite)', () => {
  it('keeps regions, entries, named queries and indexes', async () => {
    await using service = await Service.start({ engine: 'sqlite' });
    const region = await service.region(
      { a: '{"n":20.0}', 'x,y': '{}' },
      { type: 'PARTITION', keyConstraint: 'String', valueConstraint: 'T' },
    );
    const index = '{"name":"by-n","expression":"n"}';
    await service.sendTo('POST', `${ADMIN}/regions/${region}/indexes`, { body: index });
    await service.send('POST', '/queries?id=q&q=SELECT%201');
    const paths = ['', `/${region}`, `/${region}/keys`, '/queries'];
    const before = await Promise.all(paths.map(async (path) => (await service.get(path)).text));
    const described = (await service.sendTo('GET', `${ADMIN}/regions/${region}`)).text;
    await service.restart();
    const after = await Promise.all(paths.map(async (path) => (await service.get(path)).text));
    assert.deepEqual(after, before);
    assert.equal((await service.sendTo('GET', `${ADMIN}/regions/${region}`)).text, described);
    assert.equal((await service.send('HEAD', `/${region}`)).headers['resource-count'], '2');
  });

  it('keeps versions, and never uses one twice', async () => {
    await using service = await Service.start({ engine: 'sqlite' });
    const region = await service.region({ a: '{}', b: '{}' });
    const tag = async (key: string): Promise<string | undefined> =>
      (await service.get(`/${region}/${key}`)).headers['etag'];
    const first = await tag('a');
    const second = (await service.send('PUT', `/${region}/b`, { body: '{}' })).headers['etag'];
    await service.send('DELETE', `/${region}/b`);
    await service.restart();
    assert.equal(await tag('a'), first);
    const headers = { 'If-Match': first ?? '' };
    const written = await service.send('PUT', `/${region}/a`, { headers, body: '{}' });
    assert.equal(written.status, 200);
    const created = await service.send('PUT', `/${region}/b`, { body: '{}' });
    const versions = [first, second, written.headers['etag'], created.headers['etag']];
    const numbers = versions.map((version) => Number(version?.slice(1, -1)));
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
    );
    assert.equal(new Set(numbers).size, 4);
  });

  it('does not revive deleted entries', async () => {
    await using service = await Service.start({ engine: 'sqlite' });
    const region = await service.region({ a: '{}', b: '{}' });
    const gone = await service.region({ a: '{}' });
    await service.send('DELETE', `/${region}/a`);
    await service.send('POST', '/queries?id=q&q=SELECT%201');
    await service.send('DELETE', '/queries/q');
    await service.sendTo('DELETE', `${ADMIN}/regions/${gone}`);
    await service.restart();
    assert.deepEqual(await service.stored(region), { b: '{}' });
    assert.deepEqual(json(await service.get('/queries')), { queries: [] });
    assert.equal((await service.get(`/${gone}`)).status, 404);
  });
});
