import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json } from '../http-client.ts';
import { API, onEveryEngine, Service } from '../service.ts';

onEveryEngine('4.12 Ping', (service, engine) => {
  it('answers 200 to GET and to HEAD while the service is available', async () => {
    const get = await service().get('/ping');
    assert.equal(get.status, 200);
    assert.equal(get.text, '');
    assert.equal(get.headers['content-length'], '0');
    const head = await service().send('HEAD', '/ping');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers['content-length'], '0');
  });

  it('ignores Accept, and so do the probes', async () => {
    for (const path of [`${API}/ping`, '/livez', '/readyz']) {
      for (const accept of ['text/html', 'image/*', 'application/json;q=0']) {
        const answer = await service().sendTo('GET', path, { headers: { Accept: accept } });
        assert.equal(answer.status, 200, `${path} ${accept}`);
      }
    }
  });

  it('answers 404 when the service is not available: shutting down', async () => {
    await using own = await Service.start({ engine });
    await own.server.drain();
    const get = await own.get('/ping');
    assert.equal(get.status, 404);
    assert.equal(get.headers['connection'], 'close');
    assert.equal(Object(json(get)).code, 'request/not-available');
    const head = await own.send('HEAD', '/ping');
    assert.equal(head.status, 404);
    assert.equal(head.text, '');
  });

  it('answers 503 with Retry-After to everything else then', async () => {
    await using own = await Service.start({ engine });
    const region = await own.region({ a: '{}' });
    await own.server.drain();
    for (const path of ['', `/${region}`, `/${region}/a`, '/queries', '/servers']) {
      const answer = await own.get(path);
      assert.equal(answer.status, 503, path);
      assert.equal(answer.headers['retry-after'], '5');
      assert.equal(answer.headers['connection'], 'close');
      assert.equal(Object(json(answer)).code, 'request/shutting-down');
    }
    assert.equal((await own.sendTo('GET', '/readyz')).status, 503);
    assert.equal((await own.sendTo('GET', '/livez')).status, 200);
  });
});
