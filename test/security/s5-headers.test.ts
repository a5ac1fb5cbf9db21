// S5: security headers. S6 without a browser: stored data is always sent as data, and pages run only
// their own scripts.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { routes } from '../../src/http/routes.ts';
import { RawConnection } from '../http-client.ts';
import { Service } from '../service.ts';

const assetName =
  readdirSync(new URL('../../dist/console/assets', import.meta.url)).find((name) =>
    name.endsWith('.js'),
  ) ?? '';

const XSS = '<script>alert(1)</script>"><img src=x onerror=alert(2)>';

let service: Service;

before(async () => {
  service = await Service.start();
  await service.grid.createRegion({ name: 'orders' });
  await service.put('orders', { 1: '{"n":1}', [XSS]: JSON.stringify({ html: XSS }) });
  await service.grid.createQuery({ id: XSS, oql: `SELECT '${XSS}' FROM /orders` });
});

after(() => service.stop());

/** A path of the route; its region or query need not exist. */
const pathOf = (pattern: string): string =>
  pattern
    .replace('{region}', 'orders')
    .replace('{name}', 'orders')
    .replace('{asset}', assetName)
    .replace('{file}', 'page.js')
    .replaceAll(/\{\w+\}/g, '1');

test('S5: every answer has a media type, and data is not cached', async () => {
  for (const { method, path } of routes) {
    const isPage = path.startsWith('/docs') || path === '/console';
    const isAsset = path.startsWith('/console/assets');
    const isOpen = isPage || isAsset;
    const target = path === '/console' ? '/console/' : pathOf(path);
    const { headers } = await service.sendTo(method, target);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    const caching = isAsset ? 'public, max-age=31536000, immutable' : 'no-cache';
    assert.equal(headers['cache-control'], isOpen ? caching : 'no-store', path);
    if (!isOpen) assert.equal(headers['cross-origin-resource-policy'], 'same-origin', path);
    assert.equal(headers['server'], undefined, path);
    assert.equal(headers['x-powered-by'], undefined, path);
  }
});

test('S5: errors before routing, and answers of the parser, have the headers as well', async () => {
  for (const path of ['/nothing', '/grid-api/v1/%ff', '/grid-api/v1/absent']) {
    const { headers } = await service.sendTo('GET', path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.equal(headers['cache-control'], 'no-store', path);
  }
  using connection = await RawConnection.open(service.port);
  connection.write('NOT HTTP\r\n\r\n');
  const received = (await connection.untilClosed()).toLowerCase();
  assert.match(received, /^http\/1\.1 400 /);
  assert.match(received, /\r\nx-content-type-options: nosniff\r\n/);
  // RFC 9110, 6.6.1: every error of a client has it.
  assert.match(received, /\r\ndate: [^\r]+ gmt\r\n/);
});

test('S5: pages run only their own scripts', async () => {
  const { headers, text } = await service.sendTo('GET', '/docs', {
    headers: { Accept: 'text/html' },
  });
  const policy = headers['content-security-policy'] ?? '';
  for (const rule of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(rule), rule);
  }
  const scripts = policy.split(';').find((rule) => rule.trim().startsWith('script-src')) ?? '';
  assert.equal(scripts.trim(), "script-src 'self'");
  assert.ok(!/<script(?![^>]*\bsrc=)/.test(text), 'the page has an inline script');
  assert.ok(!/\son\w+=/.test(text), 'the page has an inline handler');
});

test('S6: stored payloads are returned as JSON, in bodies, errors and headers', async () => {
  const key = encodeURIComponent(XSS);
  for (const path of [
    `/orders/${key}`,
    '/orders',
    '/orders/keys',
    '/queries',
    `/queries/${key}`,
    `/absent${key}`,
    `/orders/absent${key}`,
    `/queries/absent${key}`,
    `/orders?limit=${key}`,
    `/orders?${key}=1&ignoreMissingKey=${key}`,
  ]) {
    const { headers } = await service.get(path, { Accept: 'text/html,application/json' });
    assert.match(headers['content-type'] ?? '', /^application\/(problem\+)?json/, path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.ok(!JSON.stringify(headers).includes('<script'), path);
  }
});
