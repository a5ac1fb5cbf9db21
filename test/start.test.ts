// Runs the built command like a user.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { Agent, get, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { COMPILE_CACHE, ensureBuilt, MAIN } from './program.ts';
import { until } from './until.ts';

let directory: string;
const running = new Set<ChildProcess>();

before(async () => {
  ensureBuilt();
  directory = await mkdtemp(join(tmpdir(), 'gridkeep-start-'));
});

after(async () => {
  for (const child of running) child.kill('SIGKILL');
  await rm(directory, { recursive: true });
});

interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly url: string;
  readonly firstLine: string;
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
}

function launch(
  args: readonly string[],
  environment: Record<string, string> = {},
): {
  child: ChildProcess;
  finished: Promise<Finished>;
  firstLine: Promise<string>;
} {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: directory,
    env: { ...COMPILE_CACHE, PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const finished = once(child, 'close').then(([code]: unknown[]) => {
    running.delete(child);
    return { code: typeof code === 'number' ? code : null, out, err };
  });
  const lines = child.stdout === null ? undefined : createInterface(child.stdout);
  const firstLine = new Promise<string>((resolve, reject) => {
    lines?.once('line', resolve);
    void finished.then(() => reject(new Error(`it ended before it listened: ${err}`)));
  });
  firstLine.catch(() => undefined);
  return { child, finished, firstLine };
}

async function start(args: readonly string[]): Promise<Started> {
  const { child, finished, firstLine } = launch(['start', '--port', '0', ...args]);
  const line = await firstLine;
  const url = line.replace('gridkeep listening on ', '');
  return { url, firstLine: line, child, finished };
}

async function stop({ child, finished }: Started): Promise<Finished> {
  child.kill('SIGTERM');
  return finished;
}

/** Runs a command that must fail; returns its error output. */
async function fail(
  args: readonly string[],
  environment?: Record<string, string>,
): Promise<Finished> {
  const { child, finished: ending, firstLine } = launch(args, environment);
  // If it starts by mistake, the test must not wait for its end.
  void firstLine.then(() => child.kill('SIGKILL')).catch(() => undefined);
  const finished = await ending;
  assert.equal(finished.out, '');
  assert.doesNotMatch(finished.err, /^\s+at /m, 'a stack trace was shown');
  return finished;
}

test('the first line names the address, requests are answered, SIGTERM ends it with exit code 0', async () => {
  const started = await start(['--data', join(directory, 'first')]);
  assert.match(started.firstLine, /^gridkeep listening on http:\/\/127\.0\.0\.1:\d+$/);
  const response = await fetch(`${started.url}/grid-api/v1/ping`);
  assert.equal(response.status, 200);
  const { code, err, out } = await stop(started);
  assert.equal(code, 0);
  assert.equal(out, `${started.firstLine}\n`);
  for (const line of err.trimEnd().split('\n')) assert.equal(typeof JSON.parse(line), 'object');
});

test('written entries are there after a restart, byte for byte', async () => {
  const config = join(directory, 'regions.yaml');
  await writeFile(config, 'regions: [{ name: orders }]\n');
  const args = ['--data', join(directory, 'kept'), '--config', config];
  const first = await start(args);
  const value = '{"@type":"x","id":9007199254740993,"price":20.0}';
  const written = await fetch(`${first.url}/grid-api/v1/orders/1`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: value,
  });
  assert.equal(written.status, 200);
  assert.equal((await stop(first)).code, 0);
  const second = await start(args);
  const read = await fetch(`${second.url}/grid-api/v1/orders/1`);
  assert.equal(await read.text(), `{"orders":[${value}]}`);
  assert.equal((await stop(second)).code, 0);
});

const SAMPLE_PARAMETERS = {
  'customers-in-city': [{ '@type': 'string', '@value': 'Oslo' }],
  'orders-of-customer': [{ '@type': 'int', '@value': 1042 }],
  'orders-with-item': [
    { '@type': 'string', '@value': 'SKU-0007' },
    { '@type': 'int', '@value': 5 },
  ],
  'revenue-by-status': [{ '@type': 'string', '@value': '2025-01-01' }],
};

test('the sample grid is served on request, including its queries', async () => {
  const started = await start(['--memory', '--sample']);
  const queries = await fetch(`${started.url}/grid-api/v1/queries`);
  const { queries: list } = (await queries.json()) as { queries: { id: string }[] }; // spec 4.7
  assert.deepEqual(
    list.map(({ id }) => id),
    ['customers-in-city', 'orders-of-customer', 'orders-with-item', 'revenue-by-status'],
  );
  for (const [id, parameters] of Object.entries(SAMPLE_PARAMETERS)) {
    const response = await fetch(`${started.url}/grid-api/v1/queries/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
    });
    const rows: unknown = await response.json();
    assert.equal(response.status, 200, `${id}: ${JSON.stringify(rows)}`);
    assert.ok(Array.isArray(rows) && rows.length > 1, id);
  }
  await stop(started);
});

test('every problem of the configuration is reported in a separate line, with exit code 2', async () => {
  const config = join(directory, 'bad.yaml');
  await writeFile(config, 'http:\n  prot: 80\nlog:\n  level: loud\n');
  const { code, err } = await fail(['start', '--config', config, '--prot', '1'], {
    GRIDKEEP_STORE_DURABILITY: 'never',
  });
  assert.equal(code, 2);
  assert.deepEqual(err.trimEnd().split('\n'), [
    'gridkeep: unknown flag --prot; did you mean --port?',
    `gridkeep: ${config}:2: unknown setting http.prot; did you mean http.port?`,
    'gridkeep: GRIDKEEP_STORE_DURABILITY must be one of always, relaxed, not "never"',
    `gridkeep: ${config}:4: log.level must be one of error, warn, info, debug, not "loud"`,
  ]);
});

test('a config file that cannot be read is named', async () => {
  const absent = await fail(['start', '--config', 'absent.yaml']);
  assert.equal(absent.code, 2);
  assert.equal(absent.err, 'gridkeep: absent.yaml does not exist\n');
  const folder = await fail(['start', '--config', directory]);
  assert.equal(folder.code, 2);
  assert.equal(folder.err, `gridkeep: ${directory} cannot be read: it is a directory\n`);
});

test('a second server on the same directory is refused and the first continues', async () => {
  const data = join(directory, 'shared');
  const first = await start(['--data', data]);
  const second = await fail(['start', '--port', '0', '--data', data]);
  assert.equal(second.code, 1);
  assert.equal(second.err, `gridkeep: Another server is using ${data}\n`);
  assert.equal((await fetch(`${first.url}/grid-api/v1/ping`)).status, 200);
  assert.equal((await stop(first)).code, 0);
});

test('an address that others can reach is refused without --insecure', async () => {
  const { code, err } = await fail(['start', '--memory', '--port', '0', '--host', '0.0.0.0']);
  assert.equal(code, 2);
  assert.match(err, /^gridkeep: listening on 0\.0\.0\.0 .*--insecure.*\n$/);
});

test('a port in use is named', async () => {
  const first = await start(['--memory']);
  const { port } = new URL(first.url);
  const { code, err } = await fail(['start', '--memory', '--port', port]);
  assert.equal(code, 1);
  assert.equal(
    err,
    `gridkeep: port ${port} on 127.0.0.1 is already in use; choose another with --port\n`,
  );
  await stop(first);
});

test('a data directory that cannot be written is named', async () => {
  const file = join(directory, 'a-file');
  await writeFile(file, '');
  const { code, err } = await fail(['start', '--port', '0', '--data', join(file, 'data')]);
  assert.equal(code, 1);
  assert.match(err, /^gridkeep: the data directory .*a-file\/data cannot be used: .*\n$/);
});

test('a damaged data file is named and never served', async () => {
  const data = join(directory, 'damaged');
  await stop(await start(['--data', data, '--sample']));
  const names = await readdir(data);
  const file = names.find((name) => /\.(db|sqlite)$/.test(name));
  assert.ok(file !== undefined, `no data file among ${names.join(', ')}`);
  await truncate(join(data, file), 8192);
  const { code, err } = await fail(['start', '--port', '0', '--data', data]);
  assert.equal(code, 1);
  assert.match(err, new RegExp(`^gridkeep: .*${file}.*\\n$`));
});

test('SIGTERM lets a request in flight finish, and new ones are refused', async () => {
  const config = join(directory, 'regions.yaml');
  await writeFile(config, 'regions: [{ name: orders }]\n');
  const started = await start(['--memory', '--config', config]);
  let sendRest: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(Buffer.from('{"a":'));
      sendRest = () => {
        controller.enqueue(Buffer.from('1}'));
        controller.close();
      };
    },
  });
  const slow = fetch(`${started.url}/grid-api/v1/orders/1`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body,
    duplex: 'half',
  });
  // The metrics count the request as soon as the server has it.
  await until(async () => {
    const text = await (await fetch(`${started.url}/metrics`)).text();
    return /^gridkeep_http_requests_in_flight 2$/m.test(text);
  });
  started.child.kill('SIGTERM');
  await until(async () => (await fetch(`${started.url}/grid-api/v1/ping`)).status === 404);
  assert.equal((await fetch(`${started.url}/grid-api/v1`)).status, 503);
  sendRest();
  assert.equal((await slow).status, 200);
  assert.equal((await started.finished).code, 0);
});

test('clients under load get an answer to every request when the service stops', async () => {
  const started = await start(['--memory', '--sample', '--log-requests', 'off']);
  const { port } = new URL(started.url);
  const answers: number[] = [];
  // Each client has one connection and sends until it is refused.
  const clients = Array.from({ length: 16 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let status = 200; status === 200; ) {
      status = await getStatus({ agent, port, path: '/grid-api/v1/orders/100006' });
      answers.push(status);
    }
    agent.destroy();
  });
  await until(
    async () => answers.length > 500 || (await getStatus({ port, path: '/livez' })) !== 200,
  );
  started.child.kill('SIGTERM');
  await Promise.all(clients);
  assert.deepEqual([...new Set(answers)].sort(), [200, 503]);
  assert.equal((await started.finished).code, 0);
});

test('a second signal ends it at once', async () => {
  const config = join(directory, 'regions.yaml');
  await writeFile(config, 'regions: [{ name: orders }]\n');
  const started = await start(['--memory', '--config', config]);
  const endless = fetch(`${started.url}/grid-api/v1/orders/1`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{')) }),
    duplex: 'half',
  });
  const cut = assert.rejects(endless);
  await until(async () => {
    const text = await (await fetch(`${started.url}/metrics`)).text();
    return /^gridkeep_http_requests_in_flight 2$/m.test(text);
  });
  started.child.kill('SIGTERM');
  await until(async () => (await fetch(`${started.url}/grid-api/v1/ping`)).status === 404);
  started.child.kill('SIGTERM');
  assert.equal((await started.finished).code, 143);
  await cut;
});

test('help and version work without starting anything', async () => {
  const help = await launch(['help']).finished;
  assert.equal(help.code, 0);
  assert.match(help.out, /gridkeep start/);
  const version = await launch(['version']).finished;
  assert.match(version.out, /^gridkeep \d+\.\d+\.\d+\n$/);
});

function getStatus(options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', ...options }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', reject);
  });
}
