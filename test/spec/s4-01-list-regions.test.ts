import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json } from '../http-client.ts';
import { API, onEveryEngine, Service } from '../service.ts';

onEveryEngine('4.1 List regions', (service, engine) => {
  it('answers 404 when no regions are found', async () => {
    await using empty = await Service.start({ engine });
    const answer = await empty.get('');
    assert.equal(answer.status, 404);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.deepEqual(json(answer), {
      cause: 'No regions found',
      message: 'No regions found',
      code: 'grid/no-regions',
    });
  });

  it('returns name, type and both constraints of every region, sorted by name', async () => {
    await using own = await Service.start({ engine });
    await own.grid.createRegion({ name: 'orders', type: 'PARTITION', keyConstraint: 'Long' });
    await own.grid.createRegion({ name: 'events', type: 'EMPTY' });
    await own.grid.createRegion({ name: 'customers', valueConstraint: 'org.shop.Customer' });
    const answer = await own.get('');
    assert.equal(answer.status, 200);
    assert.equal(
      answer.text,
      '{"regions":[' +
        '{"name":"customers","type":"REPLICATE","key-constraint":null,"value-constraint":"org.shop.Customer"},' +
        '{"name":"events","type":"EMPTY","key-constraint":null,"value-constraint":null},' +
        '{"name":"orders","type":"PARTITION","key-constraint":"Long","value-constraint":null}]}',
    );
  });

  it('is application/json and names its own address in Location', async () => {
    await service().region();
    const answer = await service().get('');
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['location'], service().api);
  });

  it('accepts a trailing slash', async () => {
    await service().region();
    assert.equal((await service().get('/')).status, 200);
  });

  it('does not list reserved regions', async () => {
    await service().region();
    await service().grid.createQuery({ id: 'q', oql: 'SELECT 1' });
    assert.doesNotMatch((await service().get('')).text, /"_/);
  });

  it('allows GET and HEAD only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await service().send(method, '');
      assert.equal(answer.status, 405, method);
      assert.equal(answer.headers['allow'], 'GET, HEAD');
    }
  });

  it('is available only under the versioned path (9)', async () => {
    await service().region();
    for (const path of ['/grid-api', '/grid-api/v2', '/v1', `${API}x`, '/GRID-API/v1']) {
      const answer = await service().sendTo('GET', path);
      assert.equal(answer.status, 404, path);
      assert.equal(Object(json(answer)).code, 'request/path-not-found');
    }
  });
});
