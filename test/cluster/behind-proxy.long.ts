// The set-up of deploy/cluster without containers: a primary with a synchronous standby, three servers,
// and a real nginx with the shipped configuration. Servers are restarted one by one under load.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { GridkeepProcess } from '../faults/gridkeep-process.ts';
import { copyServer, REPLICATED } from './replicated-pair.ts';

const CONFIG = readFileSync(new URL('../../deploy/cluster/nginx.conf', import.meta.url), 'utf8');
const hasNginx = spawnSync('nginx', ['-v']).status === 0;

class NginxProcess {
  readonly port: number;
  readonly #directory: string;
  readonly #process: ChildProcess;

  private constructor(port: number, directory: string, process: ChildProcess) {
    this.port = port;
    this.#directory = directory;
    this.#process = process;
  }

  static async start(ports: readonly number[]): Promise<NginxProcess> {
    const directory = mkdtempSync(join(tmpdir(), 'gridkeep-nginx-'));
    const port = await freePort();
    const file = join(directory, 'nginx.conf');
    writeFileSync(file, configure(port, ports, directory));
    const child = spawn('nginx', ['-c', file, '-e', join(directory, 'error.log')]);
    return new NginxProcess(port, directory, child);
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGTERM');
    await once(this.#process, 'exit');
    rmSync(this.#directory, { recursive: true });
  }
}

/** The shipped configuration, with ports of this machine in place of container names. */
function configure(port: number, ports: readonly number[], directory: string): string {
  const named = CONFIG.replace('listen 7070', `listen 127.0.0.1:${port}`).replace(
    /gridkeep(\d):7070/g,
    (_, number) => `127.0.0.1:${ports[Number(number) - 1]}`,
  );
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join('\n');
  const http = `http {\naccess_log off;\n${places}`;
  return `daemon off;\npid ${directory}/pid;\n${named.replace('http {', http)}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

const skip = hasNginx ? false : 'nginx is not installed';

it('answers every request through the proxy while servers are restarted', { skip }, async () => {
  await using primary = await PostgresServer.start({
    settings: { ...REPLICATED, synchronous_standby_names: '*' },
  });
  await using standby = await copyServer(primary, primary.port, REPLICATED);
  const store = `postgres://gridkeep@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
  const yaml = 'regions: [{ name: orders }]\nhttp: { drain-linger-ms: 500 }\n';
  const options = { store, yaml };
  const servers = [await GridkeepProcess.start(options)];
  while (servers.length < 3) servers.push(await GridkeepProcess.start(options));
  const ports = servers.map(({ port }) => port);
  const proxy = await NginxProcess.start(ports);
  const base = `http://127.0.0.1:${proxy.port}/grid-api/v1`;
  try {
    await untilReady(`http://127.0.0.1:${proxy.port}/readyz`);
    const failures: string[] = [];
    let requests = 0;
    let isOver = false;
    const work = async (worker: number): Promise<void> => {
      for (let i = 0; !isOver; i += 1) {
        const path = `${base}/orders/${worker}-${Math.floor(i / 2) % 10}`;
        const body = JSON.stringify({ worker, i: Math.floor(i / 2) });
        const request = i % 2 === 0 ? { method: 'PUT', body } : {};
        const headers = { 'Content-Type': 'application/json' };
        const reply = await fetch(path, { ...request, headers });
        const text = await reply.text();
        requests += 1;
        // A write acknowledged through one server is visible through the next one.
        const isRight = i % 2 === 0 || text.includes(body);
        if (reply.status !== 200 || !isRight) failures.push(`${reply.status} ${text}`);
      }
    };
    const workers = Array.from({ length: 8 }, (_, i) => work(i));
    for (const [index, port] of ports.entries()) {
      await servers[index]?.stop();
      servers[index] = await GridkeepProcess.start({ ...options, flags: ['--port', String(port)] });
    }
    isOver = true;
    await Promise.all(workers);
    assert.deepEqual(failures, []);
    assert.ok(requests > 100, `${requests} requests`);
    const list = JSON.parse(await (await fetch(`${base}/servers`)).text());
    assert.equal(list.length, 3);
  } finally {
    await proxy.stop();
    for (const server of servers) await server.stop();
  }
});

async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const status = await fetch(url).then(
      (reply) => reply.status,
      () => 0,
    );
    if (status === 200) return;
    assert.ok(performance.now() < deadline, `the proxy answers ${status}`);
    await delay(50);
  }
}
