// Reloads users, roles and keys while the service runs: either the whole new file or nothing of it
// applies.

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCli } from '../../src/cli/cli.ts';
import { hashPassword } from '../../src/http/auth/password-hash.ts';
import { TemporaryDirectory } from '../faults/directory.ts';
import {
  apiKey,
  authenticatorOf,
  basic,
  bearer,
  CHEAP,
  type Headers,
  incomingWith,
  user,
} from './logins.ts';
import { SecuredService } from './secured-service.ts';

const MEMORY = { 'store.engine': 'memory' };

async function userYaml(...names: readonly string[]): Promise<string> {
  const users = names.map(
    async (name) =>
      `{ name: ${name}, password-hash: '${await hashPassword(`password of ${name}`, CHEAP)}', roles: [all] }`,
  );
  return `auth: { roles: { all: ['*'] }, users: [${(await Promise.all(users)).join(', ')}] }\n`;
}

function as(name: string): Headers {
  return basic(name, `password of ${name}`);
}

async function status({ url }: SecuredService, headers: Headers, path = '/ping'): Promise<number> {
  return (await fetch(`${url}/grid-api/v1${path}`, { headers })).status;
}

function eventsOf({ logText }: SecuredService): readonly string[] {
  return logText.match(/"event":"logins-\w+"/g) ?? [];
}

test('new users are accepted, and removed ones refused although their login was cached', async () => {
  await using secured = await SecuredService.start(await userYaml('ada', 'bob'), MEMORY);
  assert.deepEqual([await status(secured, as('ada')), await status(secured, as('cy'))], [200, 401]);
  await secured.reload(await userYaml('bob', 'cy'));
  assert.equal(await status(secured, as('ada')), 401);
  assert.equal(await status(secured, as('bob')), 200);
  assert.equal(await status(secured, as('cy')), 200);
  await secured.service.stop('end of test');
  assert.deepEqual(eventsOf(secured), ['"event":"logins-replaced"']);
});

test('roles and API keys are replaced as well', async () => {
  const [first, second] = [apiKey('k', []), apiKey('k', [])];
  const yaml = (hash: string, role: string) =>
    `auth: { roles: { program: ['${role}'] }, api-keys: [{ name: k, hash: '${hash}', roles: [program] }] }\n`;
  await using secured = await SecuredService.start(yaml(first.setting.hash, 'DATA:READ'), MEMORY);
  /** A 404 shows that the login is permitted. */
  const tried = async ({ key }: { readonly key: string }) => [
    await status(secured, bearer(key), '/absent'),
    await status(secured, bearer(key), '/queries/absent'),
  ];
  assert.deepEqual(await tried(first), [404, 403]);
  await secured.reload(yaml(first.setting.hash, 'QUERY'));
  assert.deepEqual(await tried(first), [403, 404]);
  await secured.reload(yaml(second.setting.hash, 'QUERY'));
  assert.deepEqual(await tried(first), [401, 401]);
  assert.deepEqual(await tried(second), [403, 404]);
});

test('an invalid file changes nothing, and the log says why without secrets', async () => {
  const yaml = await userYaml('ada');
  await using secured = await SecuredService.start(yaml, MEMORY);
  const bad = [
    ['auth: { users: [{ name: eve, password-hash: canary-1 }] }', /gridkeep hash-password/],
    [`${await userYaml('eve')}nonsense: 1\n`, /unknown setting nonsense/],
    ['auth: [\n', /not valid YAML/],
    ['auth: { users: [{ name: eve, password-hash-env: canary-2 }] }', /variable that is not set/],
    ['auth: { roles: { all: [DATA] } }', /declares no login/],
    ['', /only a restart switches it off/],
  ] as const;
  for (const [text] of bad) {
    await secured.reload(text);
    assert.equal(await status(secured, as('ada')), 200, text);
    assert.equal(await status(secured, as('eve')), 401, text);
    assert.equal(await status(secured, {}), 401, text);
  }
  await secured.service.stop('end of test');
  assert.deepEqual(
    eventsOf(secured),
    bad.map(() => '"event":"logins-refused"'),
  );
  const reasons = secured.logText.match(/"logins-refused","reason":.*$/gm) ?? [];
  for (const [i, [, expected]] of bad.entries()) assert.match(reasons[i] ?? '', expected);
  assert.doesNotMatch(secured.logText, /canary/);
});

test('without authentication a reload does nothing, and cannot enable it', async () => {
  await using secured = await SecuredService.start('', MEMORY);
  assert.equal(secured.service.reload, undefined);
});

test('a login that is being verified while users are replaced is not cached', async () => {
  const before = await authenticatorOf({ users: [await user('ada', 'hers', ['*'])] });
  const after = await authenticatorOf({ users: [await user('bob', 'his', ['*'])] });
  const authenticate = async () => before.authenticate(incomingWith(basic('ada', 'hers')));
  const pending = authenticate();
  before.replaceBy(after);
  assert.equal((await pending).name, 'ada');
  await assert.rejects(authenticate(), { code: 'auth/login-failed' });
});

test('the count of failed logins is kept', async () => {
  await using secured = await SecuredService.start(await userYaml('ada'), MEMORY);
  for (let i = 0; i < 10; i += 1) await status(secured, basic('ada', `guess ${i}`));
  await secured.reload(await userYaml('ada'));
  assert.equal(await status(secured, as('ada')), 429);
});

test('SIGHUP makes the command read its file again', async () => {
  using directory = new TemporaryDirectory();
  const file = join(directory.path, 'gridkeep.yaml');
  await writeFile(file, await userYaml('ada'));
  const events = new EventEmitter();
  const lines = new EventEmitter();
  const listening = once(lines, 'listening');
  const ended = runCli(['start', '--memory', '--port', '0', '--log-format', 'json'], {
    print: (text) => lines.emit('listening', text.replace('gridkeep listening on ', '')),
    printError: (text) => assert.fail(text),
    draw: undefined,
    readSecret: async () => undefined,
    log: {
      write: (text: string) => {
        if (text.includes('"logins-replaced"')) lines.emit('replaced');
        return true;
      },
      on: () => undefined,
    },
    events,
    workingDirectory: directory.path,
    environment: {},
  });
  const [url] = await listening;
  const ping = async (name: string): Promise<number> =>
    (await fetch(`${url}/grid-api/v1/ping`, { headers: as(name) })).status;
  assert.deepEqual([await ping('ada'), await ping('bob')], [200, 401]);
  await writeFile(file, await userYaml('bob'));
  const replaced = once(lines, 'replaced');
  events.emit('SIGHUP');
  await replaced;
  assert.deepEqual([await ping('ada'), await ping('bob')], [401, 200]);
  events.emit('SIGTERM');
  assert.equal(await ended, 0);
});
