import assert from 'node:assert/strict';
import type { EventEmitter } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCli } from './cli.ts';
import { parseFlags } from './parse-flags.ts';
import { printTable } from './print-table.ts';
import { drawProgressBar } from './progress-bar.ts';
import { FakeTerminal } from './testing/fake-terminal.ts';

let workingDirectory: string;

before(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), 'gridkeep-cli-'));
});

after(async () => {
  await rm(workingDirectory, { recursive: true });
});

interface CommandResult {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: readonly string[];
  readonly drawn: string;
}

/** Runs a command to its end; calls `onListening` with the address as soon as it listens. */
async function run(
  args: readonly string[],
  onListening?: (url: string, events: EventEmitter) => Promise<void>,
): Promise<CommandResult> {
  let listened: Promise<void> | undefined;
  const terminal = new FakeTerminal(workingDirectory, {
    onPrint: (line, events) => {
      const url = /^gridkeep listening on (http:.*)$/.exec(line)?.[1];
      if (url !== undefined) listened = onListening?.(url, events);
    },
  });
  const code = await runCli(args, terminal);
  await listened;
  const { drawn, err, out } = terminal;
  return { code, out, err, drawn };
}

test('without a command, or with help, the commands are explained', async () => {
  for (const args of [[], ['help'], ['--help'], ['-h']]) {
    const { code, out } = await run(args);
    assert.equal(code, 0);
    assert.match(out[0] ?? '', /gridkeep start \[flags\]/);
  }
});

test('each command has its own help, which names its flags', async () => {
  for (const args of [
    ['help', 'start'],
    ['start', '--help'],
  ]) {
    const { code, out } = await run(args);
    assert.equal(code, 0);
    for (const flag of [
      '--port N',
      '--host ADDRESS',
      '--data DIR',
      '--config FILE',
      '--memory',
      '--sample',
      '--durability always|relaxed',
      '--insecure',
      '--log-level',
      '--log-requests on|off',
    ]) {
      assert.ok(out[0]?.includes(flag), flag);
    }
  }
  const settings = await run(['help', 'settings']);
  assert.match(settings.out[0] ?? '', /GRIDKEEP_QUERY_MAX_ROWS_KEPT/);
  assert.match(settings.out[0] ?? '', /--http-advertise A,B/);
  for (const topic of ['config', 'version']) assert.equal((await run(['help', topic])).code, 0);
  const unknown = await run(['help', 'me']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.err[0] ?? '', /no help about me/);
});

test('help fits a terminal of 80 columns', async () => {
  const overview = (await run(['help'])).out[0] ?? '';
  const topics = [...overview.matchAll(/^ {2}gridkeep ([a-z-]+)/gm)].map(([, topic = '']) => topic);
  assert.ok(topics.length > 10);
  for (const topic of [...topics, 'settings']) {
    const text = (await run(['help', topic])).out.join('\n');
    const long = text.split('\n').filter((line) => line.length > 80);
    assert.deepEqual(long, [], topic);
  }
});

test('help about settings names no flag for a secret', async () => {
  const text = (await run(['help', 'settings'])).out[0] ?? '';
  assert.match(text, /GRIDKEEP_STORE_PASSWORD; default/);
  assert.doesNotMatch(text, /--store-password /);
});

test('version and help refuse arguments that they would ignore', async () => {
  assert.equal((await run(['version', '--json'])).code, 2);
  const { code, err } = await run(['help', 'start', 'config']);
  assert.equal(code, 2);
  assert.deepEqual(err, ['gridkeep: unexpected argument config']);
});

test('the version is printed', async () => {
  for (const args of [['version'], ['--version'], ['-v']]) {
    assert.match((await run(args)).out[0] ?? '', /^gridkeep \d+\.\d+\.\d+/);
  }
});

test('an unknown command is refused in one sentence', async () => {
  assert.deepEqual(await run(['sart']), {
    code: 2,
    out: [],
    err: ['gridkeep: unknown command sart; did you mean start?'],
    drawn: '',
  });
  const { code, err } = await run(['toString']);
  assert.equal(code, 2);
  assert.match(err[0] ?? '', /; the commands are start, config, .*, version$/);
});

test('every problem with flags and settings is reported, and nothing starts', async () => {
  const { code, err, out } = await run([
    'start',
    '--prot',
    '1',
    '--port=x',
    '--memory=5',
    '-p',
    '--host',
    '--data',
  ]);
  assert.equal(code, 2);
  assert.deepEqual(out, []);
  assert.deepEqual(err, [
    'gridkeep: unknown flag --prot; did you mean --port?',
    'gridkeep: --memory takes no value',
    'gridkeep: unknown flag -p',
    'gridkeep: --host needs a value',
    'gridkeep: --port must be a whole number from 0 to 65535, not "x"',
  ]);
});

test('an argument that belongs to no flag is refused', async () => {
  const { code, err } = await run(['start', 'now']);
  assert.equal(code, 2);
  assert.deepEqual(err, ['gridkeep: unexpected argument now']);
});

test('a setting is given by one flag, once', () => {
  const { problems } = parseFlags([
    ...['--port', '1', '--port', '2', '--http-port=3', '--memory', '--store-engine', 'sqlite'],
    ...['--sample', '--sample', '--insecure', '--insecure', '--config', 'a', '--config', 'b'],
    ...['--load', 'a=b', '--load', 'c=d', '--load-key', 'x', '--load-key', 'y'],
  ]);
  assert.deepEqual(problems, [
    '--port is given twice',
    '--port and --http-port both set http.port',
    '--memory and --store-engine both set store.engine',
    '--config is given twice',
    '--load-key is given twice',
  ]);
  assert.deepEqual(parseFlags(['--memory', '--data', 'd']).problems, [
    '--memory and --data exclude each other',
  ]);
});

test('flags become settings', () => {
  const { configFile, problems, sample, settings } = parseFlags([
    '--port=1',
    '--sample',
    '--memory',
    '--query-max-rows-kept',
    '5',
    '--config',
    'a.yaml',
  ]);
  assert.deepEqual(problems, []);
  assert.equal(sample, true);
  assert.equal(configFile, 'a.yaml');
  assert.deepEqual(settings, [
    { path: 'http.port', raw: '1', name: '--port' },
    { path: 'store.engine', raw: 'memory', name: '--memory' },
    { path: 'query.max-rows-kept', raw: '5', name: '--query-max-rows-kept' },
  ]);
});

test('config shows every setting with its value and origin, and all declarations', async () => {
  const file = join(workingDirectory, 'declared.yaml');
  await writeFile(file, 'regions: [{ name: orders }]\nqueries: { all: SELECT * FROM /orders }\n');
  const { code, out } = await run(['config', '--port', '8080', '--config', file]);
  assert.equal(code, 0);
  const lines = (out[0] ?? '').split('\n').map((line) => line.trim().split(/ {2,}/));
  assert.ok(lines.some((line) => line.join('|') === 'http.port|8080|--port'));
  assert.ok(lines.some((line) => line.join('|') === 'store.engine|sqlite|default'));
  assert.ok(lines.some((line) => line.join('|') === 'regions|orders|REPLICATE'));
  assert.ok(lines.some((line) => line.join('|') === 'queries|all|SELECT * FROM /orders'));
  assert.equal((await run(['config', '--config', 'absent.yaml'])).code, 2);
});

test('start serves the sample until a signal arrives, and draws its progress', async () => {
  const { code, drawn, out } = await run(
    ['start', '--memory', '--port', '0', '--sample', '--http-drain-linger-ms', '0'],
    async (url, events) => {
      try {
        const response = await fetch(`${url}/grid-api/v1/customers/1001`);
        assert.equal(response.status, 200);
      } finally {
        events.emit('SIGTERM');
      }
    },
  );
  assert.equal(code, 0);
  assert.match(out[0] ?? '', /^gridkeep listening on http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(drawn, /loading the sample █+░+ \d+ %/);
});

test('an address that others can reach is refused without --insecure', async () => {
  const { code, err } = await run(['start', '--memory', '--port', '0', '--host', '0.0.0.0']);
  assert.equal(code, 2);
  assert.equal(err.length, 1);
  assert.match(err[0] ?? '', /^gridkeep: listening on 0\.0\.0\.0 .* --insecure/);
});

test('a port in use is reported as such', async () => {
  const first = await run(
    ['start', '--memory', '--port', '0', '--http-drain-linger-ms', '0'],
    async (url, events) => {
      const port = new URL(url).port;
      const second = await run(['start', '--memory', '--port', port]);
      events.emit('SIGINT');
      assert.equal(second.code, 1);
      assert.deepEqual(second.err, [
        `gridkeep: port ${port} on 127.0.0.1 is already in use; choose another with --port`,
      ]);
    },
  );
  assert.equal(first.code, 0);
});

test('the progress bar is drawn when the percentage changes, and erased at the end', () => {
  const drawn: string[] = [];
  const onProgress = drawProgressBar('x', (text) => drawn.push(text));
  onProgress({ done: 1, total: 2 });
  onProgress({ done: 1, total: 2 });
  onProgress({ done: 2, total: 2 });
  assert.equal(drawn.length, 2);
  assert.ok(drawn[0]?.endsWith(' 50 %'));
  assert.equal(drawn[1], '\r\u001b[K');
  const nothing: string[] = [];
  drawProgressBar('x', (text) => nothing.push(text))({ done: 0, total: 0 });
  assert.deepEqual(nothing, ['\r\u001b[K']);
});

test('a table is as wide as its cells', () => {
  assert.equal(
    printTable([
      ['a', 'bb', 'c'],
      ['aaa', 'b', ''],
    ]),
    '  a    bb  c\n  aaa  b',
  );
  assert.equal(printTable([]), '');
  assert.equal(printTable([['a', 'one two three']], 12), '  a  one two\n     three');
});

test('config refuses the address of a database that start would refuse, and shows no password', async () => {
  const refused = async (...args: readonly string[]): Promise<string> => {
    const { code, err, out } = await run(['config', ...args]);
    assert.equal(code, 2);
    assert.doesNotMatch([...err, ...out].join(), /geheim/);
    return err.join();
  };
  const url = 'postgres://me@db/grid';
  assert.match(await refused('--store', `${url}?password=geheim`), /parameter password is not/);
  const missing = join(workingDirectory, 'absent');
  assert.match(
    await refused('--store', url, '--store-password-file', missing),
    /absent cannot be read: it does not exist/,
  );
});

test('config names every mistake that start would refuse, with its line', async () => {
  const file = join(workingDirectory, 'mistakes.yaml');
  const lines = [
    'http:',
    '  cors-origins: [nonsense]',
    'regions:',
    '  - name: orders',
    '    indexes:',
    '      - { name: a, expression: "o.n +", from: /orders o }',
    '  - name: bad/name',
    'queries:',
    '  adhoc: SELECT * FROM /orders',
  ];
  await writeFile(file, lines.join('\n'));
  const { code, err } = await run(['config', '--config', file]);
  assert.equal(code, 2);
  const places = err.map((line) => /yaml:(\d+): /.exec(line)?.[1]);
  assert.deepEqual(places, ['2', '6', '7', '9'], err.join('\n'));
  await writeFile(
    file,
    'auth:\n  users:\n    - name: ada\n      password-hash: x\n      roles: [nobody]\n',
  );
  const auth = await run(['config', '--config', file]);
  assert.equal(auth.code, 2);
  assert.match(auth.err.join(), /mistakes\.yaml:3: auth\.users\.ada/);
  await writeFile(file, 'regions:\n  - name: orders\n  - nmae: items\n');
  const shape = await run(['config', '--config', file]);
  assert.match(shape.err.join(), /mistakes\.yaml:3: unknown setting regions\[1\]\.nmae/);
});
