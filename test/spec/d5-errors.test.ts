// Section 7 of the specification and decisions 5: how failures are reported.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { EngineError } from '../../src/engine/errors.ts';
import { routes } from '../../src/http/routes.ts';
import { json } from '../http-client.ts';
import { onEveryEngine, Service, type ServiceSettings } from '../service.ts';

const PROBLEM = { Accept: 'application/json, application/problem+json' };

onEveryEngine('7 Errors', (service, engine) => {
  /** A service whose region fails with an unexpected error. */
  async function failing(trace: NonNullable<ServiceSettings['trace']>): Promise<[Service, string]> {
    const own = await Service.start({
      engine,
      trace,
      // No engine fails like this: it represents an unexpected error.
      failures: (call) =>
        call === 'region.read'
          ? (new TypeError('broken on purpose: canary') as unknown as EngineError)
          : undefined,
    });
    const region = await own.region({ a: '{"secret":"canary"}' });
    return [own, region];
  }

  it('has one body shape for every error the specification leaves open', async () => {
    const region = await service().region();
    const answers = [
      await service().get('/nowhere'),
      await service().get(`/${region}?limit=x`),
      await service().get(`/${region}/a,,b`),
      await service().send('PATCH', `/${region}`),
      await service().sendTo('GET', '/no/such/path'),
      await service().send('PUT', `/${region}/a`, { body: '{' }),
      await service().send('DELETE', `/${region}/a`),
    ];
    for (const answer of answers) {
      assert.equal(answer.headers['content-type'], 'application/json');
      const body = json(answer) as Record<string, unknown>;
      assert.deepEqual(Object.keys(body).slice(0, 3), ['cause', 'message', 'code']);
      assert.equal(body['cause'], body['message']);
      assert.match(String(body['code']), /^[a-z]+\/[a-z-]+$/);
    }
  });

  it('escapes text that came from the client', async () => {
    const answer = await service().get('/%22%5C%0A%3Cscript%3E');
    assert.equal(answer.status, 404);
    assert.equal(Object(json(answer)).cause, 'Region ("\\\n<script>) does not exist');
  });

  it('answers an unknown path with 404 in the same shape', async () => {
    for (const path of ['/x', '/grid-api/v1/a/b/c', '/grid-api/v1/servers/x', '/livez/x', '//']) {
      const answer = await service().sendTo('GET', path);
      assert.equal(answer.status, 404, path);
      assert.deepEqual(json(answer), {
        cause: `There is nothing at ${path}`,
        message: `There is nothing at ${path}`,
        code: 'request/path-not-found',
      });
    }
  });

  it('answers a failed HEAD with status and headers only', async () => {
    const answer = await service().send('HEAD', '/nowhere/a');
    assert.equal(answer.status, 404);
    assert.equal(answer.text, '');
    assert.equal(answer.headers['content-type'], 'application/json');
  });

  it('answers in the format of RFC 9457 when Accept lists application/problem+json', async () => {
    const answer = await service().get('/nowhere', PROBLEM);
    assert.equal(answer.status, 404);
    assert.equal(answer.headers['content-type'], 'application/problem+json');
    const problem = json(answer) as Record<string, unknown>;
    assert.match(String(problem['instance']), /^urn:gridkeep:request:[\w-]+$/);
    const { instance: _, hint: __, ...rest } = problem;
    assert.deepEqual(rest, {
      type: 'urn:gridkeep:error:grid:region-not-found',
      title: 'Region (nowhere) does not exist',
      status: 404,
      detail: 'Region (nowhere) does not exist',
      code: 'grid/region-not-found',
    });
    const refused = await service().get('/nowhere', { Accept: 'application/problem+json' });
    assert.equal(refused.status, 406);
    assert.equal(refused.headers['content-type'], 'application/problem+json');
    const declined = { Accept: 'application/json, application/problem+json;q=0' };
    const plain = await service().get('/nowhere', declined);
    assert.equal(plain.headers['content-type'], 'application/json');
  });

  it('answers 500 with a trace of our own frames, relative to the package, without values', async () => {
    const [own, region] = await failing('safe');
    await using _ = own;
    const answer = await own.get(`/${region}/a`);
    assert.equal(answer.status, 500);
    const { trace, ...rest } = json(answer) as { trace: string[] };
    assert.deepEqual(rest, {
      cause: 'The server failed to answer',
      message: 'The server failed to answer',
      code: 'internal/error',
    });
    assert.ok(trace.length > 0);
    for (const frame of trace) assert.match(frame, /(^|\()(src|test)\/[\w/.-]+\.ts:\d+:\d+\)?$/);
    assert.doesNotMatch(answer.text, /canary|node_modules|node:/);
    assert.ok(own.observations.some((observation) => observation.kind === 'request-failed'));
    const problem = await own.get(`/${region}/a`, PROBLEM);
    assert.ok(Array.isArray(Object(json(problem)).trace));
  });

  it('shows the whole stack with errors.trace full, and none with off', async () => {
    const [full, region] = await failing('full');
    await using _ = full;
    const { trace } = json(await full.get(`/${region}/a`)) as { trace: string[] };
    assert.equal(trace[0], 'TypeError: broken on purpose: canary');
    const [off, other] = await failing('off');
    await using __ = off;
    assert.equal(Object(json(await off.get(`/${other}/a`))).trace, undefined);
  });

  it('continues to serve after an unexpected error', async () => {
    const [own, region] = await failing('safe');
    await using _ = own;
    for (let i = 0; i < 3; i += 1) assert.equal((await own.get(`/${region}/a`)).status, 500);
    assert.equal((await own.get('/ping')).status, 200);
    assert.equal(own.server.requestsInFlight, 0);
  });

  it('shows no trace on other statuses', async () => {
    assert.equal(Object(json(await service().get('/nowhere'))).trace, undefined);
  });

  it('gives every answer a request id, the client\u2019s own when it sent a decent one', async () => {
    const made = (await service().get('/ping')).headers['x-request-id'];
    assert.match(made ?? '', /^[\w-]+$/);
    assert.notEqual((await service().get('/ping')).headers['x-request-id'], made);
    const given = await service().get('/nowhere', { 'X-Request-Id': 'trace:42.a_b' });
    assert.equal(given.headers['x-request-id'], 'trace:42.a_b');
    for (const id of ['a b', 'x'.repeat(65), '{"a":1}', '']) {
      const answer = await service().get('/ping', { 'X-Request-Id': id });
      assert.notEqual(answer.headers['x-request-id'], id);
    }
  });

  it('answers OPTIONS with the methods of the path', async () => {
    const answer = await service().send('OPTIONS', '/servers');
    assert.equal(answer.status, 204);
    assert.equal(answer.headers['allow'], 'GET, HEAD, OPTIONS');
    assert.equal(answer.headers['content-length'], undefined);
    assert.equal((await service().sendTo('OPTIONS', '/nothing/here')).status, 404);
    const all = await service().sendTo('OPTIONS', '*');
    assert.equal(all.status, 204);
    assert.equal(all.headers['allow'], 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS');
  });

  it('answers OPTIONS of every path, with the types of its patches and queries', async () => {
    for (const { method, path } of routes) {
      const { headers, status } = await service().sendTo(
        'OPTIONS',
        path.replaceAll(/\{\w+\}/g, 'any'),
      );
      assert.equal(status, 204, path);
      assert.ok(headers['allow']?.split(', ').includes(method), `${method} ${path}`);
      const isPatched = /^\/grid-api\/v1\/\{region\}(\/\{keys\})?$/.test(path);
      assert.equal(headers['accept-patch'] !== undefined, isPatched, path);
      const isQueried = headers['allow']?.includes('QUERY');
      assert.equal(headers['accept-query'] !== undefined, isQueried, path);
    }
  });
});
