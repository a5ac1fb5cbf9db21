import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Method, type Route, Router } from './router.ts';

function route(method: Method, path: string, more: Partial<Route> = {}): Route {
  return { method, path, ...more };
}

const router = new Router([
  route('GET', '/api'),
  route('GET', '/api/{region}'),
  route('HEAD', '/api/{region}'),
  route('GET', '/api/{region}/keys', { head: 'never' }),
  route('PUT', '/api/{region}/{keys}'),
  route('GET', '/api/queries'),
  route('POST', '/api/queries/{id}'),
]);

function found(method: string, path: string): string {
  const match = router.match(method, path);
  return `${match.route.path} ${match.segments.join(' ')}`.trimEnd();
}

it('prefers a literal segment to a parameter', () => {
  assert.equal(found('GET', '/api/queries'), '/api/queries');
  assert.equal(found('GET', '/api/orders'), '/api/{region} orders');
  assert.equal(found('GET', '/api/orders/keys'), '/api/{region}/keys orders');
});

it('returns the segments undecoded, in order', () => {
  assert.equal(found('PUT', '/api/o%72ders/a%2Cb,c'), '/api/{region}/{keys} o%72ders a%2Cb,c');
});

it('compares decoded literals', () => {
  assert.equal(found('GET', '/api/%71ueries'), '/api/queries');
  assert.equal(found('GET', '/api/x/%6b%65ys'), '/api/{region}/keys x');
});

it('ignores a trailing slash only after a literal segment', () => {
  assert.equal(found('GET', '/api/'), '/api');
  assert.equal(found('GET', '/api/queries/'), '/api/queries');
  assert.equal(found('GET', '/api/orders/keys/'), '/api/{region}/keys orders');
  assert.equal(found('PUT', '/api/orders/'), '/api/{region}/{keys} orders');
  assert.throws(() => router.match('PUT', '/api/orders/a/'), { code: 'request/path-not-found' });
});

it('answers HEAD through GET, unless HEAD has its own route or is not allowed', () => {
  assert.equal(router.match('HEAD', '/api').route.method, 'GET');
  assert.equal(router.match('HEAD', '/api/x').route.method, 'HEAD');
  assert.throws(() => router.match('HEAD', '/api/x/keys'), { code: 'request/method-not-allowed' });
});

it('names the methods of a path when it refuses another', () => {
  assert.throws(() => router.match('DELETE', '/api'), {
    details: { headers: ['Allow', 'GET, HEAD'] },
  });
  assert.deepEqual(router.methods('/api/x/keys'), ['GET']);
});

it('refuses unknown paths, also prefixes of routes', () => {
  for (const path of ['/', '/x', '/api/a/b/c', '/api/queries/a/b', '//api']) {
    assert.throws(() => router.match('GET', path), { code: 'request/path-not-found' }, path);
    assert.throws(() => router.methods(path), { code: 'request/path-not-found' }, path);
  }
});

it('refuses a path without a leading slash, and bad encoding', () => {
  assert.throws(() => router.match('GET', '*'), { code: 'request/bad-encoding' });
  assert.throws(() => router.match('GET', '/api/%'), { code: 'request/bad-encoding' });
});
