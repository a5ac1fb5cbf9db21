// The service behind a real nginx, set up as docs/operations.md shows it.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Service } from '../service.ts';

const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((place) => existsSync(place));

/** A port that was free a moment ago, because nginx does not accept 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

/** The example of the documentation, for this service. */
async function printConfig(directory: string, port: number, servicePort: number): Promise<string> {
  const docs = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const example = /```nginx\n([\s\S]*?)```/.exec(docs)?.[1];
  assert.ok(example !== undefined);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(' ');
  const location = example.replace(':7070', `:${servicePort}`);
  return `daemon off; pid ${directory}/nginx.pid; error_log ${directory}/error.log;
events {}
http { access_log off; ${temporary}
server { listen 127.0.0.1:${port};
${location}
} }`;
}

describe('behind nginx', {
  skip: NGINX === undefined && 'nginx is not installed here',
}, () => {
  let service: Service;
  let nginx: ChildProcess;
  let directory: string;
  let base: string;

  before(async () => {
    service = await Service.start({ http: { trustedProxies: ['127.0.0.1'], allowedHosts: [] } });
    await service.grid.createRegion({ name: 'items' });
    directory = await mkdtemp(join(tmpdir(), 'gridkeep-nginx-'));
    const port = await freePort();
    base = `http://127.0.0.1:${port}/grid`;
    const file = join(directory, 'nginx.conf');
    await writeFile(file, await printConfig(directory, port, service.port));
    nginx = spawn(NGINX ?? '', ['-c', file, '-p', directory], { stdio: 'ignore' });
    // It listens soon after its start, without a message.
    while ((await fetch(`${base}/livez`).catch(() => undefined))?.status !== 200) {
      assert.equal(nginx.exitCode, null, 'nginx ended');
    }
  });

  after(async () => {
    nginx.kill();
    await new Promise((resolve) => nginx.once('exit', resolve));
    await service.stop();
    await rm(directory, { recursive: true });
  });

  it('serves the page below the path, with all its files', async () => {
    const page = await fetch(`${base}/`);
    assert.equal(page.url, `${base}/console/`);
    const text = await page.text();
    const parts = [...text.matchAll(/(?:href|src)="([^":]+)"/g)].map(([, part]) => part ?? '');
    assert.ok(parts.length >= 3);
    for (const part of parts) {
      assert.equal((await fetch(new URL(part, page.url))).status, 200, part);
    }
  });

  it('shows addresses that lead back through the proxy', async () => {
    const body = '{"n":1}';
    const headers = { 'Content-Type': 'application/json' };
    const api = `${base}/grid-api/v1`;
    const created = await fetch(`${api}/items?key=a%2Fb`, { method: 'POST', headers, body });
    assert.equal(created.status, 201);
    const written = await fetch(`${api}/items/plain`, { method: 'PUT', headers, body });
    const location = written.headers.get('location') ?? '';
    assert.equal(location, `${api}/items/plain`);
    const read = await fetch(location);
    assert.deepEqual(await read.json(), { items: [{ n: 1 }] });
    assert.equal(read.headers.get('content-location'), location);
    const byQuery = await fetch(`${api}/items?keys=a%2Fb`);
    assert.deepEqual(await byQuery.json(), { items: [{ n: 1 }] });
    const document = Object(await (await fetch(`${api}/openapi.json`)).json());
    assert.deepEqual(document.servers, [{ url: base }]);
  });

  it('forwards conditions, compression and errors', async () => {
    const api = `${base}/grid-api/v1`;
    const headers = { 'Content-Type': 'application/json' };
    const long = JSON.stringify({ text: 'gridkeep '.repeat(400) });
    await fetch(`${api}/items/long`, { method: 'PUT', headers, body: long });
    const read = await fetch(`${api}/items/long`, { headers: { 'Accept-Encoding': 'gzip' } });
    assert.equal(read.headers.get('content-encoding'), 'gzip');
    assert.equal(await read.text(), `{"items":[${long}]}`);
    const tag = read.headers.get('etag') ?? '';
    const again = await fetch(`${api}/items/long`, { headers: { 'If-None-Match': tag } });
    assert.equal(again.status, 304);
    assert.equal((await fetch(`${api}/nothing`)).status, 404);
  });
});
