// The documentation page is served completely by this service.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Service } from '../service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

let service: Service;

before(async () => {
  service = await Service.start();
});

after(() => service.stop());

test('/docs is a page whose policy allows only this service', async () => {
  const answer = await service.sendTo('GET', '/docs', {
    headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  const policy = answer.headers['content-security-policy'] ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
});

test('/docs/ redirects to the page', async () => {
  const slash = await service.sendTo('GET', '/docs/');
  assert.equal(slash.status, 302);
  assert.equal(new URL(slash.headers['location'] ?? '', 'http://h/a/docs/').pathname, '/a/docs');
});

test('all references of the page are served here', async () => {
  const { text } = await service.sendTo('GET', '/docs');
  const references = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(
    ([, address]) => address ?? '',
  );
  const loaded = references.filter((address) => address !== 'data:,');
  assert.ok(loaded.length >= 4);
  for (const address of loaded) {
    // Relative, so that it works below a path too.
    assert.match(address, /^(?:docs|grid-api)\//);
    const answer = await service.sendTo('GET', `/${address}`);
    assert.equal(answer.status, 200, address);
    assert.ok(answer.text.length > 100, address);
  }
});

test('a cached file is not sent again', async () => {
  const first = await service.sendTo('GET', '/docs/swagger-ui.css', {
    headers: { Accept: 'text/css,*/*;q=0.1' },
  });
  assert.equal(first.headers['content-type'], 'text/css; charset=utf-8');
  const headers = { 'If-None-Match': first.headers['etag'] ?? '' };
  const second = await service.sendTo('GET', '/docs/swagger-ui.css', { headers });
  assert.equal(second.status, 304);
  assert.equal(second.text, '');
});

test('no other file is served', async () => {
  for (const name of ['package.json', '..%2Fserver.ts', 'documentation-files.ts', '', 'a/b']) {
    const answer = await service.sendTo('GET', `/docs/x${name}`);
    assert.equal(answer.status, 404, name);
  }
  assert.equal((await service.sendTo('GET', '/docs/%2e%2e%2fserver.ts')).status, 404);
});

test('the build copies every file of the page', async () => {
  const root = await mkdtemp(join(tmpdir(), 'gridkeep-test-'));
  try {
    await symlink(join(ROOT, 'src'), join(root, 'src'));
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    const script: unknown = await import(join(ROOT, 'scripts', 'copy-assets.mjs'));
    const { copyAssets } = script as { copyAssets: (root: string) => void }; // plain JavaScript
    copyAssets(root);
    const page = await service.sendTo('GET', '/docs');
    const files = [...page.text.matchAll(/"\/docs\/([^"]+)"/g)].map(([, name]) => name ?? '');
    for (const name of ['page.html', ...files]) {
      const copied = await readFile(join(root, 'dist', 'http', 'documentation', name), 'utf8');
      const path = name === 'page.html' ? '/docs' : `/docs/${name}`;
      assert.equal(copied, (await service.sendTo('GET', path)).text, name);
    }
  } finally {
    await rm(root, { recursive: true });
  }
});
