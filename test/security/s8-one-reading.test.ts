// S8: a request has one meaning. The permission check and the handler use the same keys, even if path,
// `?keys=` and `?key=` contradict each other.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Service } from '../service.ts';
import { authenticatorOf, basic, type Headers, user } from './logins.ts';

const SECRET = 'the-code-is-4711';
const OTHERS = 'open-to-nobody-else';
const ADMIN_LOGIN = basic('admin', 'pw');

let service: Service;

before(async () => {
  const authenticator = await authenticatorOf({
    users: [
      await user('admin', 'pw', ['*']),
      await user('writer', 'pw', ['DATA:WRITE:secret', 'DATA:READ:secret:mine']),
      await user('owner', 'pw', ['DATA:WRITE:secret:mine', 'DATA:READ:secret:mine']),
      await user('reader', 'pw', ['DATA:READ:secret:mine']),
    ],
  });
  // Otherwise most of these requests would be refused for unknown parameters.
  service = await Service.start({ http: { authenticator, unknownParameters: 'ignore' } });
  await service.grid.createRegion({ name: 'secret' });
  await restore();
});

after(() => service[Symbol.asyncDispose]());

async function restore(): Promise<void> {
  const body = `[{"text":"${SECRET}"},{"text":"${OTHERS}"},{"text":"mine"}]`;
  const path = '/secret/launch,other,mine';
  const { status } = await service.send('PUT', path, { body, headers: ADMIN_LOGIN });
  assert.equal(status, 200);
}

async function storedSecret(): Promise<string> {
  return (await service.send('GET', '/secret/launch', { headers: ADMIN_LOGIN })).text;
}

test('naming a second key does not reveal a value to a writer', async () => {
  const answer = await service.send('POST', '/secret?key=launch&keys=mine', {
    body: '{"a":1}',
    headers: basic('writer', 'pw'),
  });
  assert.equal(answer.text.includes(SECRET), false, answer.text);
});

const PATHS = ['secret', 'secret/mine', 'secret/launch', 'secret/mine,launch'];
const QUERIES = [
  'keys=mine',
  'keys=launch',
  'keys=mine&keys=launch',
  'key=mine',
  'key=launch',
  'key=launch&keys=mine',
  'key=mine&keys=launch',
  'keys=mine&limit=ALL',
  'op=CREATE&keys=mine',
  'op=CREATE&keys=launch',
  'op=CREATE&key=mine',
  'op=CAS&keys=mine&key=launch',
  'op=CAS&key=mine&ignoreMissingKey=true',
];
const BODIES = ['{"a":1}', '{"@old":{},"@new":{"a":1}}', '[{"a":1},{"a":2}]'];

test('no combination of keys reads or writes without permission', async () => {
  let sent = 0;
  for (const name of ['writer', 'owner', 'reader']) {
    for (const { method, path } of combinations()) {
      const bodies = method === 'PUT' || method === 'POST' ? BODIES : [undefined];
      for (const body of bodies) {
        const headers: Headers = basic(name, 'pw');
        const answer = await service.send(method, path, { headers, ...(body && { body }) });
        const where = `${name}: ${method} ${path} ${body}: ${answer.status} ${answer.text}`;
        assert.equal(answer.text.includes(SECRET) || answer.text.includes(OTHERS), false, where);
        const isKept = (await storedSecret()).includes(SECRET);
        // Only the writer may write every key.
        assert.ok(name === 'writer' || isKept, where);
        if (name === 'writer') await restore();
        sent += 1;
      }
    }
  }
  assert.ok(sent > 500, `only ${sent} requests`);
});

function* combinations(): Generator<{ readonly method: string; readonly path: string }> {
  for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
    for (const path of PATHS) {
      yield { method, path: `/${path}` };
      for (const query of QUERIES) yield { method, path: `/${path}?${query}` };
    }
  }
}
