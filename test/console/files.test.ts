// The files of the console: built, served with their headers, and small enough.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Service } from '../service.ts';

const BUILT = fileURLToPath(new URL('../../dist/console/', import.meta.url));
/** Limit for the script of the first screen. */
const FIRST_SCREEN_BYTES = 250 * 1024;

let service: Service;

before(async () => {
  service = await Service.start();
});

after(() => service.stop());

test('/ redirects to the console, and /console to its folder', async () => {
  for (const path of ['/', '/console']) {
    const answer = await service.sendTo('GET', path, { headers: { Accept: 'text/html' } });
    assert.equal(answer.status, 302);
    const { pathname } = new URL(answer.headers['location'] ?? '', `http://h/a${path}`);
    assert.equal(pathname, '/a/console/');
  }
});

test('the page has a strict policy, and all its references are served here', async () => {
  const page = await service.sendTo('GET', '/console/', { headers: { Accept: 'text/html' } });
  assert.equal(page.status, 200);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  const policy = page.headers['content-security-policy'] ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self'(;|$)/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(page.headers['cache-control'], 'no-cache');
  assert.ok(!/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/.test(page.text), page.text);
  const references = referencesOf(page.text);
  assert.ok(references.length >= 3);
  for (const address of references) {
    // Relative, so that it works below a path too.
    assert.match(address, /^\.\/assets\//);
    const answer = await service.sendTo('GET', `/console/${address.slice(2)}`);
    assert.equal(answer.status, 200, address);
    const isHashed = !address.endsWith('icon.svg');
    const caching = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
    assert.equal(answer.headers['cache-control'], caching);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  }
});

test('a cached page is answered with 304', async () => {
  const first = await service.sendTo('GET', '/console/');
  const headers = { 'If-None-Match': first.headers['etag'] ?? '' };
  const second = await service.sendTo('GET', '/console/', { headers });
  assert.equal(second.status, 304);
  assert.equal(second.text, '');
});

test('no other file is served', async () => {
  for (const name of ['index.html', '..%2Findex.html', '%2e%2e', 'x.js', '', 'a/b']) {
    const answer = await service.sendTo('GET', `/console/assets/${name}`);
    assert.equal(answer.status, 404, name);
  }
});

test(`the first screen loads at most ${FIRST_SCREEN_BYTES} bytes of compressed script`, async () => {
  const sizes = new Map<string, number>();
  for (const name of await readdir(join(BUILT, 'assets'))) {
    if (!name.endsWith('.js')) continue;
    sizes.set(name, gzipSync(await readFile(join(BUILT, 'assets', name))).length);
  }
  const page = await readFile(join(BUILT, 'index.html'), 'utf8');
  const loaded = new Set(referencesOf(page).map((address) => address.replace('./assets/', '')));
  const overview = [...sizes.keys()].find((name) => name.startsWith('overview-')) ?? '';
  await addImports(overview, loaded);
  const total = [...loaded].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  assert.ok(total > 10_000 && total <= FIRST_SCREEN_BYTES, `${total} bytes in ${[...loaded]}`);
});

/** Adds the chunk and every chunk that it imports. */
async function addImports(name: string, loaded: Set<string>): Promise<void> {
  loaded.add(name);
  const text = await readFile(join(BUILT, 'assets', name), 'utf8');
  for (const [, chunk = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    if (!loaded.has(chunk)) await addImports(chunk, loaded);
  }
}

function referencesOf(page: string): readonly string[] {
  return [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address ?? '');
}
