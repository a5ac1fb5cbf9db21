import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../service.ts';

onEveryEngine('4.11 List servers', (service) => {
  it('returns an array of addresses, one per member that runs the service', async () => {
    const answer = await service().get('/servers');
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '["http://127.0.0.1:7070","http://127.0.0.2:7070"]');
  });

  it('has the Content-Type application/json; charset=utf-8 and its own address as Location', async () => {
    const answer = await service().get('/servers');
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['location'], `${service().api}/servers`);
  });

  it('allows GET and HEAD only', async () => {
    const answer = await service().send('POST', '/servers', { body: '{}' });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers['allow'], 'GET, HEAD');
    const head = await service().send('HEAD', '/servers');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers['content-type'], 'application/json; charset=utf-8');
  });
});
