// S7: secrets appear in no answer, no log line and no printed configuration.
// S8: every log line is one JSON object, without values, bodies or credentials.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCli } from '../../src/cli/cli.ts';
import { SETTING_FLAGS } from '../../src/config/setting-names.ts';
import { hashPassword } from '../../src/http/auth/password-hash.ts';
import { apiKey, basic, bearer, CHEAP, createSigningKey, type Headers, rsToken } from './logins.ts';
import { SecuredService } from './secured-service.ts';

const CANARY = 'canary-4711';
const PASSWORD = `${CANARY}-password`;

async function authYaml(): Promise<{ yaml: string; secrets: readonly string[]; key: string }> {
  const passwordHash = await hashPassword(PASSWORD, CHEAP);
  const { key, setting } = apiKey('program', ['*']);
  const yaml = `
auth:
  users:
    - { name: ada, password-hash: '${passwordHash}', permissions: ['*'] }
  api-keys:
    - { name: program, hash: '${setting.hash}', permissions: ['*'] }
`;
  const hash = setting.hash.slice('sha256:'.length);
  return { yaml, key, secrets: [CANARY, key, hash, passwordHash, passwordHash.slice(-40)] };
}

test('S7, S8: secrets, values and bodies appear in no answer and no log line', async () => {
  const { key, secrets, yaml } = await authYaml();
  await using secured = await SecuredService.start(yaml, { 'store.engine': 'memory' });
  const api = `${secured.url}/grid-api/v1`;
  const admin = `${secured.url}/grid-admin/v1`;
  const wrong = createSigningKey('k');
  const answers: string[] = [];
  const send = async (method: string, url: string, headers: Headers, body?: string) => {
    const response = await fetch(url, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    answers.push(JSON.stringify([...response.headers]) + text);
    return response.status;
  };
  const ada = basic('ada', PASSWORD);
  const logins = [
    ada,
    bearer(key),
    { 'X-Api-Key': key },
    basic('ada', `${CANARY}-wrong`),
    basic(`${CANARY}-typed-as-name`, 'x'),
    bearer(rsToken(wrong, { sub: CANARY })),
    bearer(`gridkeep_${CANARY}`),
    { Authorization: CANARY },
  ];
  for (const headers of logins) await send('GET', `${api}/ping`, headers);
  assert.equal(await send('POST', `${admin}/regions`, ada, '{"name":"r"}'), 201);
  for (const path of ['/config', '/stats', '/regions']) await send('GET', admin + path, ada);
  await send('GET', `${secured.url}/metrics`, ada);
  const quiet = answers.length;
  // From here on answers may repeat the request, but the log may not.
  const secret = JSON.stringify({ password: CANARY });
  assert.equal(await send('PUT', `${api}/r/1`, ada, secret), 200);
  await send('GET', `${api}/r/1`, ada);
  await send('PUT', `${api}/r/1`, ada, `{"broken":"${CANARY}"`);
  await send('GET', `${api}/ping?token=${CANARY}`, ada);
  const oql = `SELECT * FROM /r x WHERE x.password = '${CANARY}' AND x.y.z > 1`;
  await send('POST', `${api}/queries/adhoc`, ada, JSON.stringify({ oql, params: [] }));
  await send('GET', `${api}/queries/adhoc?q=${encodeURIComponent(oql)}`, ada);
  await secured.service.stop('end of test');

  for (const hidden of secrets) {
    const found = answers.slice(0, quiet).filter((answer) => answer.includes(hidden));
    assert.deepEqual(found, [], 'an answer shows a secret');
    assert.ok(!secured.logText.includes(hidden), 'the log shows a secret');
  }
  const basicText = Buffer.from(`ada:${PASSWORD}`).toString('base64');
  assert.ok(!secured.logText.includes(basicText));
  const lines = secured.logText.trimEnd().split('\n');
  assert.ok(lines.length > 15);
  const events = lines.map((line): unknown => {
    const parsed: unknown = JSON.parse(line);
    assert.ok(typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed), line);
    return 'event' in parsed ? parsed.event : undefined;
  });
  assert.ok(events.includes('login-failed'));
});

test('S7: the printed configuration and errors about it contain no secrets', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gridkeep-security-'));
  try {
    const { secrets, yaml } = await authYaml();
    const file = join(directory, 'gridkeep.yaml');
    const run = async (text: string, command: string) => {
      await writeFile(file, text);
      const shown: string[] = [];
      const code = await runCli([command, '--config', file, '--memory', '--port', '0'], {
        print: (line) => shown.push(line),
        printError: (line) => shown.push(line),
        draw: undefined,
        readSecret: async () => undefined,
        log: { write: (line: string) => shown.push(line), on: () => undefined },
        events: process,
        workingDirectory: directory,
        environment: {},
      });
      return { code, text: shown.join('\n') };
    };
    const config = await run(yaml, 'config');
    assert.equal(config.code, 0);
    assert.match(config.text, /auth\.users +ada/);
    // The secret itself is in the place of its hash.
    const open = `auth: { users: [{ name: ada, password-hash: ${PASSWORD} }], api-keys: [{ name: k, hash: gridkeep_${CANARY} }] }`;
    const refused = await run(open, 'start');
    assert.equal(refused.code, 2);
    assert.match(refused.text, /hash-password.*make-api-key/);
    for (const hidden of secrets) {
      assert.ok(!config.text.includes(hidden) && !refused.text.includes(hidden));
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('S11: no flag takes a secret', () => {
  assert.ok(SETTING_FLAGS.length > 30);
  const suspicious = SETTING_FLAGS.filter(({ name }) => /password|secret|token|hash/.test(name));
  // The name of a file is not secret.
  const secrets = suspicious.filter(({ name }) => !name.endsWith('-file'));
  assert.deepEqual(secrets, []);
});
