import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  type ConfigOutcome,
  type FlagValue,
  type LoadedConfig,
  loadConfig,
} from '../config/load-config.ts';
import type { StartErrorCode } from './errors.ts';
import { type RunningService, type ServiceOptions, StartError, startService } from './index.ts';

let directory: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gridkeep-app-'));
});

after(async () => {
  await rm(directory, { recursive: true });
});

type Settings = Readonly<Record<string, unknown>>;

const QUICK: Settings = { 'http.port': 0, 'http.drain-linger-ms': 0 };
const IN_MEMORY: Settings = { ...QUICK, 'store.engine': 'memory' };

async function load(settings: Settings, yaml = ''): Promise<LoadedConfig> {
  const workingDirectory = await mkdtemp(join(directory, 'case-'));
  await writeFile(join(workingDirectory, 'gridkeep.yaml'), yaml);
  const flags = Object.entries(settings).map(
    // The tests name settings that exist; a wrong one is refused and fails the test.
    ([path, raw]) => ({ path: path as FlagValue['path'], raw, name: path }),
  );
  const outcome: ConfigOutcome = await loadConfig({ flags, environment: {}, workingDirectory });
  assert.ok(outcome.kind === 'loaded', JSON.stringify(outcome));
  return outcome;
}

async function withService(
  loaded: LoadedConfig,
  use: (service: RunningService) => Promise<void>,
  options: ServiceOptions = {},
): Promise<void> {
  const service = await startService(loaded, options);
  try {
    await use(service);
  } finally {
    await service.stop('end of test');
  }
}

async function refusal(settings: Settings, yaml?: string): Promise<StartError> {
  const loaded = await load(settings, yaml);
  const error = await startService(loaded).then(
    (service) => service.stop('should not have started'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StartError, String(error));
  return error;
}

const codeOf = (error: StartError): StartErrorCode => error.code;

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return response.json();
}

test('a service answers at its address and lists it', async () => {
  await withService(await load(IN_MEMORY), async ({ url }) => {
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual(await getJson(`${url}/grid-api/v1/servers`), [url]);
  });
});

test('an advertised address that is no address keeps the service from starting', async () => {
  const error = await refusal({ ...IN_MEMORY, 'http.advertise': ['http://grid.example:80', 'x'] });
  assert.match(error.message, /http\.advertise: x is no address/);
});

const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
);

test('an IPv6 address in brackets is listened on', {
  skip: hasIpv6 ? false : 'this machine has no IPv6',
}, async () => {
  await withService(await load({ ...IN_MEMORY, 'http.host': '[::1]' }), async ({ url }) => {
    assert.match(url, /^http:\/\/\[::1\]:\d+$/);
  });
});

test('the server list shows the addresses that the setting advertises', async () => {
  const advertise = ['http://grid.example:80'];
  await withService(await load({ ...IN_MEMORY, 'http.advertise': advertise }), async ({ url }) => {
    assert.deepEqual(await getJson(`${url}/grid-api/v1/servers`), advertise);
  });
});

test('the effective settings are shown, each with its origin', async () => {
  await withService(await load(IN_MEMORY, 'log: { level: warn }'), async ({ url }) => {
    const shown = (await getJson(`${url}/grid-admin/v1/config`)) as { settings: unknown[] };
    assert.deepEqual(
      shown.settings.filter((setting) => JSON.stringify(setting).includes('"log.level"')),
      [{ path: 'log.level', value: 'warn', origin: { source: 'file', name: 'gridkeep.yaml:1' } }],
    );
  });
});

test('metrics and log report the requests', async () => {
  const lines: string[] = [];
  const logTo = { write: (text: string) => lines.push(text), on: () => undefined };
  await withService(
    await load(IN_MEMORY),
    async ({ url }) => {
      await fetch(`${url}/grid-api/v1/ping?token=canary-4711`);
      const text = await (await fetch(`${url}/metrics`)).text();
      assert.match(text, /gridkeep_http_requests_total\{.*route="\/grid-api\/v1\/ping".*\} 1/);
      assert.match(text, /gridkeep_store_commits_total \d/);
    },
    { logTo },
  );
  const events = lines
    .join('')
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));
  assert.ok(!lines.join('').includes('canary-4711'));
  assert.ok(events.some((event) => event['path'] === '/grid-api/v1/ping'));
  assert.deepEqual(
    events.map((event) => event['event']).filter((event) => String(event).startsWith('service-')),
    ['service-started', 'service-stopping', 'service-stopped'],
  );
});

test('a closed log output does not disturb the service', async () => {
  let fail: () => void = () => undefined;
  let writes = 0;
  const logTo = {
    isTTY: true,
    write: () => {
      writes += 1;
    },
    on: (_event: 'error', listener: () => void) => {
      fail = listener;
    },
  };
  await withService(
    await load(IN_MEMORY),
    async ({ url }) => {
      fail();
      const before = writes;
      await fetch(`${url}/grid-api/v1/ping`);
      assert.equal(writes, before);
    },
    { logTo },
  );
});

test('declared regions and queries are created when absent, and not changed when they exist', async () => {
  const yaml = `
regions:
  - { name: orders, type: PARTITION, indexes: [{ name: by-id, expression: o.id, from: /orders o }] }
queries:
  all-orders: SELECT * FROM /orders
`;
  const data = await mkdtemp(join(directory, 'data-'));
  const settings = { ...QUICK, 'store.directory': data };
  await withService(await load(settings, yaml), async ({ url }) => {
    assert.deepEqual(await getJson(`${url}/grid-api/v1/queries`), {
      queries: [{ id: 'all-orders', oql: 'SELECT * FROM /orders' }],
    });
    const changed = await fetch(`${url}/grid-api/v1/queries/all-orders?q=SELECT%201`, {
      method: 'PUT',
    });
    assert.equal(changed.status, 200);
  });
  await withService(await load(settings, yaml), async ({ url }) => {
    assert.deepEqual(await getJson(`${url}/grid-api/v1`), {
      regions: [
        { name: 'orders', type: 'PARTITION', 'key-constraint': null, 'value-constraint': null },
      ],
    });
    assert.deepEqual(await getJson(`${url}/grid-api/v1/queries`), {
      queries: [{ id: 'all-orders', oql: 'SELECT 1' }],
    });
  });
});

test('an invalid declaration stops the start and is named', async () => {
  const error = await refusal(IN_MEMORY, 'regions: [{ name: "bad name" }]\n');
  assert.equal(codeOf(error), 'start/declaration-refused');
  assert.match(error.message, /cannot create region bad name: /);
});

test('the sample is loaded once on request, and deleted entries stay deleted', async () => {
  const settings = { ...QUICK, 'store.directory': await mkdtemp(join(directory, 'data-')) };
  const progress: number[] = [];
  const sample = { onProgress: ({ done }: { done: number }) => progress.push(done) };
  await withService(
    await load(settings),
    async ({ url }) => {
      assert.equal(progress.at(-1), 3700);
      const order = await fetch(`${url}/grid-api/v1/orders/100006`);
      assert.match(await order.text(), /"trackingNumber":1152921504606847462,/);
      const deleted = await fetch(`${url}/grid-api/v1/orders/100006`, { method: 'DELETE' });
      assert.equal(deleted.status, 200);
    },
    { sample },
  );
  await withService(
    await load(settings),
    async ({ url }) => {
      const head = await fetch(`${url}/grid-api/v1/orders`, { method: 'HEAD' });
      assert.equal(head.headers.get('resource-count'), '2999');
    },
    { sample: {} },
  );
});

test('an interrupted load of the sample is completed by the next start that requests it', async () => {
  const settings = { ...QUICK, 'store.directory': await mkdtemp(join(directory, 'data-')) };
  const loaded = await load(settings);
  const counts = async (url: string): Promise<readonly (string | null)[]> => {
    const heads = ['customers', 'items', 'orders'].map((region) =>
      fetch(`${url}/grid-api/v1/${region}`, { method: 'HEAD' }),
    );
    return (await Promise.all(heads)).map((head) => head.headers.get('resource-count'));
  };
  for (const interruptAt of [200, 500, 1_100]) {
    const onProgress = ({ done }: { done: number }): void => {
      if (done >= interruptAt) throw new Error('interrupted');
    };
    await assert.rejects(startService(loaded, { sample: { onProgress } }), /interrupted/);
  }
  await withService(loaded, async ({ url }) => {
    assert.deepEqual(await counts(url), ['500', '200', '1000']);
    const queries = await fetch(`${url}/grid-api/v1/queries`);
    assert.deepEqual(await queries.json(), { queries: [] });
  });
  await withService(
    loaded,
    async ({ url }) => {
      assert.deepEqual(await counts(url), ['500', '200', '3000']);
      const queries = Object(await (await fetch(`${url}/grid-api/v1/queries`)).json()).queries;
      assert.equal(queries.length, 4);
    },
    { sample: {} },
  );
});

test('existing regions with the names of the sample are not changed', async () => {
  const settings = { ...QUICK, 'store.directory': await mkdtemp(join(directory, 'data-')) };
  const yaml =
    'regions: [{ name: items, key-constraint: Long }, { name: orders, type: PARTITION }]\n';
  const loaded = await load(settings, yaml);
  await withService(loaded, async ({ url }) => {
    const put = await fetch(`${url}/grid-api/v1/orders/mine`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{"n":1}',
    });
    assert.equal(put.status, 200);
  });
  await withService(
    loaded,
    async ({ url }) => {
      const items = await fetch(`${url}/grid-api/v1/items`);
      assert.equal(await items.text(), '{"items":[]}');
      const orders = await fetch(`${url}/grid-api/v1/orders`);
      assert.equal(await orders.text(), '{"orders":[{"n":1}]}');
    },
    { sample: {} },
  );
});

test('the sample is not loaded unless it is requested', async () => {
  await withService(await load(IN_MEMORY), async ({ url }) => {
    assert.equal((await fetch(`${url}/grid-api/v1`)).status, 404);
  });
});

test('an address that others can reach needs the setting that allows it', async () => {
  const error = await refusal({ ...IN_MEMORY, 'http.host': '0.0.0.0' });
  assert.equal(codeOf(error), 'start/insecure-address');
  const allowed = { ...IN_MEMORY, 'http.host': '0.0.0.0', 'http.insecure': true };
  await withService(await load(allowed), async ({ url }) => {
    assert.match(url, /^http:\/\/0\.0\.0\.0:\d+$/);
  });
});

test('an address that this machine does not have is refused by name', async () => {
  const error = await refusal({ ...IN_MEMORY, 'http.host': '203.0.113.7', 'http.insecure': true });
  assert.equal(codeOf(error), 'start/address-unusable');
  assert.match(error.message, /203\.0\.113\.7/);
});

test('a data directory that is a file, or inside one, is refused by name', async () => {
  const file = join(directory, 'file');
  await writeFile(file, 'x');
  for (const path of [file, join(file, 'below')]) {
    const error = await refusal({ ...QUICK, 'store.directory': path });
    assert.equal(codeOf(error), 'start/directory-unusable');
    assert.ok(error.message.includes(path) && error.message.includes('not a directory'));
  }
});

test('a data directory that cannot be created is refused by name', {
  skip: process.platform !== 'linux' && 'only Linux has /proc',
}, async () => {
  for (const path of ['/proc/gridkeep', '/proc/gridkeep/below']) {
    const error = await refusal({ ...QUICK, 'store.directory': path });
    assert.equal(codeOf(error), 'start/directory-unusable');
    assert.ok(error.message.includes(path), error.message);
  }
});

test('the data directory is created for its owner only', async () => {
  const data = join(directory, 'made', 'here');
  await withService(await load({ ...QUICK, 'store.directory': data }), async () => {
    assert.equal((await stat(data)).mode & 0o777, 0o700);
  });
});

test('a second service on the same directory is refused, and the first continues', async () => {
  const data = await mkdtemp(join(directory, 'data-'));
  await withService(await load({ ...QUICK, 'store.directory': data }), async ({ url }) => {
    const error = await refusal({ ...QUICK, 'store.directory': data });
    assert.equal(codeOf(error), 'start/store-unusable');
    assert.ok(error.message.includes(data), error.message);
    assert.equal((await fetch(`${url}/grid-api/v1/ping`)).status, 200);
  });
});

test('a damaged data file is refused by name', async () => {
  const data = await mkdtemp(join(directory, 'data-'));
  const settings = { ...QUICK, 'store.directory': data };
  await withService(await load(settings), async () => undefined);
  const [file] = (await readdir(data)).filter((name) => /\.(db|sqlite)$/.test(name));
  assert.ok(file !== undefined, 'no data file was found');
  await writeFile(join(data, file), 'this is no data file, whatever it was before');
  const error = await refusal(settings);
  assert.equal(codeOf(error), 'start/store-unusable');
  assert.ok(error.message.includes(file), error.message);
});

test('limits hold exactly as they are set', async () => {
  const settings = {
    ...IN_MEMORY,
    'limits.oql-text-length': 40,
    'limits.oql-placeholders': 2,
    'limits.oql-nesting': 6,
    'limits.keys-per-request': 3,
    'limits.key-bytes': 4,
    'limits.body-bytes': 10,
    'limits.json-depth': 2,
  };
  const select = 'SELECT * FROM /a WHERE TRUE';
  const nested = (depth: number): string =>
    `SELECT ${'('.repeat(depth)}1${')'.repeat(depth)} FROM /a`;
  await withService(await load(settings, 'regions: [{ name: a }]'), async ({ url }) => {
    const api = `${url}/grid-api/v1`;
    const adhoc = async (oql: string): Promise<string | number> => {
      const response = await fetch(`${api}/queries/adhoc?q=${encodeURIComponent(oql)}`);
      if (response.status === 200) return 200;
      const { code } = (await response.json()) as { code: string }; // every error has one
      return code;
    };
    assert.equal(await adhoc(select.padEnd(40)), 200);
    assert.equal(await adhoc(select.padEnd(41)), 'oql/text-too-long');
    // Without a value they cannot run, but the parser accepts them.
    assert.equal(await adhoc('SELECT * FROM /a WHERE id = $2'), 'oql/parameter-count');
    assert.equal(await adhoc('SELECT * FROM /a WHERE id = $3'), 'oql/too-many-placeholders');
    assert.equal(await adhoc(nested(3)), 200);
    assert.equal(await adhoc(nested(7)), 'oql/nesting-too-deep');

    const read = async (keys: string): Promise<number> =>
      (await fetch(`${api}/a/${keys}?ignoreMissingKey=true`)).status;
    assert.equal(await read('1,2,3'), 200);
    assert.equal(await read('1,2,3,4'), 400);
    assert.equal(await read('1234'), 200);
    assert.equal(await read('12345'), 400);

    const put = async (body: string): Promise<number> =>
      (
        await fetch(`${api}/a/1`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body,
        })
      ).status;
    assert.equal(await put('{"a":1234}'), 200);
    assert.equal(await put('{"a":12345}'), 413);
    assert.equal(await put('{"a":[]}'), 200);
    assert.equal(await put('{"a":[[]]}'), 400);
  });
});

test('stopping finishes the request in flight and rejects new ones', async () => {
  const yaml = 'regions: [{ name: orders }]\n';
  const loaded = await load(IN_MEMORY, yaml);
  const service = await startService(loaded);
  const slow = putSlowly(service, 'orders/1');
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    slow.on('response', resolve).on('error', reject);
  });
  slow.flushHeaders();
  await new Promise((resolve) => slow.on('continue', resolve));
  slow.write('{"a"');
  const stopped = service.stop('test');
  assert.equal((await fetch(`${service.url}/grid-api/v1/ping`)).status, 404);
  assert.equal((await fetch(`${service.url}/grid-api/v1/orders`)).status, 503);
  slow.end(':1}');
  assert.equal((await answered).statusCode, 200);
  await stopped;
  await assert.rejects(fetch(`${service.url}/grid-api/v1/ping`));
});

test('a request that never ends is cut off when the drain time is over', async () => {
  const loaded = await load(
    { ...IN_MEMORY, 'http.drain-timeout-ms': 50 },
    'regions: [{ name: a }]',
  );
  const service = await startService(loaded);
  const slow = putSlowly(service, 'a/1');
  const failed = new Promise((resolve) => slow.on('error', resolve));
  slow.flushHeaders();
  await new Promise((resolve) => slow.on('continue', resolve));
  await Promise.all([service.stop('test'), service.stop('again')]);
  assert.match(String(await failed), /socket hang up|ECONNRESET/);
  await assert.rejects(fetch(service.url), 'the service no longer listens');
});

/** Starts a request with a body of seven bytes; it is in flight until the test completes the body. */
function putSlowly({ url }: RunningService, path: string): ClientRequest {
  return httpRequest({
    port: new URL(url).port,
    host: '127.0.0.1',
    method: 'PUT',
    path: `/grid-api/v1/${path}`,
    headers: { 'content-type': 'application/json', 'content-length': 7, expect: '100-continue' },
  });
}
