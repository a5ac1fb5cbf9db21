// Export and import of entries that expire, and of the settings of their regions.

import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { runCli } from '../../src/cli/cli.ts';
import { FakeTerminal } from '../../src/cli/testing/fake-terminal.ts';
import { CommandSandbox, type Finished } from './command.ts';

const sandbox = CommandSandbox.open();
const JSON_BODY = { 'Content-Type': 'application/json' };
const HOUR_MS = 3_600_000;
/** Tolerance for the time between an export and an import on a slow machine. */
const TOLERANCE_MS = 10 * 60_000;

/** Runs a command in this process, which is faster than a separate one. */
async function run(args: readonly string[], piped = ''): Promise<Finished> {
  const terminal = new FakeTerminal(sandbox.directory, { piped });
  const code = await runCli(args, terminal);
  terminal.pipes.output.end();
  const out = `${terminal.out.join('\n')}${await text(terminal.pipes.output)}`;
  return { code, out, err: terminal.err.join('\n') };
}

interface ExportedEntry {
  readonly key: string;
  readonly value: unknown;
  readonly expires?: string;
}

async function exportRegion(place: readonly string[]): Promise<readonly ExportedEntry[]> {
  const { code, err, out } = await run(['export', ...place, '--region', 'sessions']);
  assert.equal(code, 0, err);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Rounded hours from now by key; undefined for an entry that does not expire. */
function hoursLeft(entries: readonly ExportedEntry[]): Record<string, number | undefined> {
  return Object.fromEntries(
    entries.map(({ expires, key }) => {
      if (expires === undefined) return [key, undefined];
      const leftMs = Date.parse(expires) - Date.now();
      const hours = Math.round(leftMs / HOUR_MS);
      assert.ok(Math.abs(leftMs - hours * HOUR_MS) < TOLERANCE_MS, `${key} expires at ${expires}`);
      return [key, hours];
    }),
  );
}

test('an entry keeps its remaining time to live, and a region its settings', async () => {
  const settings = {
    history: { age: 'PT48H', count: 500 },
    'entry-ttl': 'PT24H',
    'max-ttl': 'P10D',
  };
  const first = await sandbox.start(['--data', sandbox.path('first')]);
  const create = (name: string, more: object): Promise<Response> =>
    fetch(`${first.url}/grid-admin/v1/regions`, {
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify({ name, ...more }),
    });
  const put = async (path: string): Promise<void> => {
    const answer = await fetch(`${first.url}/grid-api/v1/${path}`, {
      method: 'PUT',
      headers: JSON_BODY,
      body: '{}',
    });
    assert.equal(answer.status, 200);
  };
  assert.equal((await create('sessions', {})).status, 201);
  // Its records are between those of other regions.
  for (const name of ['session', 'sessions-2', 'sessionsx']) {
    assert.equal((await create(name, {})).status, 201);
    await put(`${name}/stays?ttl=PT1H`);
  }
  await put('sessions/stays');
  await put('sessions/again?ttl=PT1H');
  await put('sessions/again');
  await put('sessions/b%2Flong?ttl=PT48H');
  await put('sessions/short?ttl=PT1H');
  const expected = { again: undefined, 'b/long': 48, short: 1, stays: undefined };
  assert.deepEqual(hoursLeft(await exportRegion(['--data', 'first'])), expected);
  assert.deepEqual(hoursLeft(await exportRegion(['--url', first.url])), expected);

  const altered = await fetch(`${first.url}/grid-admin/v1/regions/sessions`, {
    method: 'PATCH',
    headers: JSON_BODY,
    body: JSON.stringify(settings),
  });
  assert.equal(altered.status, 200);
  const second = await sandbox.start(['--memory']);
  for (const [from, directory] of [
    [['--data', 'first'], 'by-data'],
    [['--url', first.url], 'by-url'],
  ] as const) {
    const exported = await run(['export', ...from, '--all', '--to', directory]);
    assert.equal(exported.code, 0, exported.err);
  }
  for (const [to, directory] of [
    [['--url', second.url], 'by-data'],
    [['--data', 'third'], 'by-url'],
  ] as const) {
    const args = ['import', ...to, '--all', '--from', directory, '--create'];
    const imported = await run(args);
    assert.equal(imported.code, 0, imported.err);
    // An entry without its own time to live is an ordinary write: the region decides.
    const left = { again: 24, 'b/long': 48, short: 1, stays: 24 };
    assert.deepEqual(hoursLeft(await exportRegion(to)), left);
  }
  const third = await sandbox.start(['--data', sandbox.path('third')]);
  for (const { url } of [second, third]) {
    const regions: Record<string, unknown>[] = Object(
      await (await fetch(`${url}/grid-admin/v1/regions`)).json(),
    ).regions;
    const found = regions.find(({ name }) => name === 'sessions');
    const kept = Object.keys(settings).map((name) => [name, found?.[name]]);
    const before = await (await fetch(`${first.url}/grid-admin/v1/regions/sessions`)).json();
    assert.deepEqual(
      kept,
      Object.keys(settings).map((name) => [name, Object(before)[name]]),
    );
    assert.ok(kept.every(([, value]) => value !== undefined));
  }
  await Promise.all([first.stop(), second.stop(), third.stop()]);
});

test('an entry that is already due is omitted, and the summary says so', async () => {
  const server = await sandbox.start(['--memory']);
  const late = new Date(Date.now() + 5 * HOUR_MS).toISOString();
  const input = [
    '{"key":"gone","value":{},"expires":"2001-01-01T00:00:00Z"}\n',
    `{"key":"late","value":{"n":1.0},"expires":"${late}"}\n`,
    '{"key":"stays","value":{}}\n',
  ].join('');
  for (const place of [
    ['--data', 'due'],
    ['--url', server.url],
  ]) {
    const args = ['import', ...place, '--region', 'sessions', '--create'];
    const imported = await run(args, input);
    assert.deepEqual(imported, {
      code: 0,
      err: '',
      out: 'sessions: 2 entries from standard input; 1 that had expired were left out',
    });
    assert.deepEqual(hoursLeft(await exportRegion(place)), { late: 5, stays: undefined });
  }
  await server.stop();
});
