// S2: every region that a query reads is authorised before it runs.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../http-client.ts';
import { Service } from '../service.ts';
import { authenticatorOf, basic, user } from './logins.ts';

const CLERK = basic('clerk', 'password of clerk');
const ADMIN_LOGIN = basic('admin', 'password of admin');

let service: Service;

before(async () => {
  const authenticator = await authenticatorOf({
    users: [
      await user('clerk', 'password of clerk', ['DATA:READ:open', 'QUERY:RUN', 'QUERY:MANAGE']),
      await user('admin', 'password of admin', ['*']),
    ],
  });
  service = await Service.start({ http: { authenticator } });
  for (const name of ['open', 'secret']) await service.grid.createRegion({ name });
  await service.put('open', { a: '{"id":1,"name":"/secret","items":[{"n":1}]}' });
  await service.put('secret', { s: '{"id":1,"salary":4711}' });
});

after(() => service.stop());

function adhoc(oql: string, headers = CLERK, params: readonly object[] = []): Promise<Answer> {
  return service.send('POST', '/queries/adhoc', {
    headers,
    body: JSON.stringify({ oql, params }),
  });
}

/** Every position in which a query can name a region. */
const READS_OF_SECRET = (region: string): readonly string[] => [
  `SELECT * FROM ${region}`,
  `SELECT * FROM ${region} s WHERE s.id = 1`,
  `SELECT * FROM ${region}.values`,
  `SELECT * FROM ${region}.keySet`,
  `SELECT * FROM ${region}.entrySet e`,
  `SELECT o.id, s.salary FROM /open o, ${region} s WHERE o.id = s.id`,
  `SELECT o FROM /open o WHERE o.id IN (SELECT s.id FROM ${region} s)`,
  `SELECT o FROM /open o WHERE o.id = ELEMENT(SELECT s.id FROM ${region} s)`,
  `SELECT (SELECT s.salary FROM ${region} s) FROM /open o`,
  `SELECT * FROM (SELECT * FROM ${region} s) t`,
  `SELECT COUNT(*) FROM ${region}`,
  `SELECT o FROM /open o ORDER BY o.id LIMIT 1 + ${region}`,
  `(SELECT * FROM ${region}).size`,
  `${region}.size`,
];

test('S2: a query that names a region without permission is refused in every position', async () => {
  let ran = 0;
  for (const oql of READS_OF_SECRET('/secret')) {
    const asAdmin = await adhoc(oql, ADMIN_LOGIN);
    if (asAdmin.status === 200) ran += 1;
    const answer = await adhoc(oql);
    // A text that is invalid for the admin too may fail by its syntax first.
    const isSyntax = answer.text.includes('invalid-syntax');
    if (asAdmin.status === 200 || !isSyntax) {
      assert.equal(answer.status, 403, `${oql}: ${answer.text}`);
      assert.ok(answer.text.includes('grid/region-forbidden'));
    }
    assert.ok(!answer.text.includes('4711') && !answer.text.includes('salary'), oql);
  }
  assert.ok(ran >= 8, `only ${ran} of the queries run at all`);
});

test('S2: a region that does not exist is refused with the same message', async () => {
  const there = READS_OF_SECRET('/secret');
  const notThere = READS_OF_SECRET('/absent');
  for (const [i, oql] of there.entries()) {
    const [first, second] = await Promise.all([adhoc(oql), adhoc(notThere[i] ?? '')]);
    assert.equal(second.status, first.status, oql);
    assert.equal(second.text.replaceAll('absent', 'secret'), first.text, oql);
  }
});

test('S2: hints name no region without permission', async () => {
  const answer = await adhoc('SELECT * FROM /secre');
  assert.equal(answer.status, 403);
  assert.ok(!answer.text.includes('secret'), answer.text);
  const near = await adhoc('SELECT * FROM /opem', ADMIN_LOGIN);
  assert.match(near.text, /Did you mean/);
});

test('S2: named queries need the regions too, and so does checking a text', async () => {
  await service.grid.createQuery({ id: 'pay', oql: 'SELECT s.salary FROM /secret s' });
  const run = await service.send('POST', '/queries/pay', { headers: CLERK });
  assert.equal(run.status, 403);
  const asAdmin = await service.send('POST', '/queries/pay', { headers: ADMIN_LOGIN });
  assert.equal(asAdmin.text, '[4711]');
  const q = encodeURIComponent('SELECT * FROM /secret');
  const path = `/queries?id=mine&q=${q}&check=true`;
  const checked = await service.send('POST', path, { headers: CLERK });
  assert.equal(checked.status, 403);
});

test('S2: a text that was compiled for another login is checked again', async () => {
  const oql = 'SELECT s.salary FROM /secret s WHERE s.id = 1';
  assert.equal((await adhoc(oql, ADMIN_LOGIN)).text, '[4711]');
  assert.equal((await adhoc(oql)).status, 403);
  assert.equal((await adhoc(oql, ADMIN_LOGIN)).status, 200);
});

test('S2: a bind value never names a region', async () => {
  const text = { '@type': 'string', '@value': '/secret' };
  for (const oql of [
    'SELECT * FROM $1',
    'SELECT * FROM ($1)',
    'SELECT o FROM /open o WHERE o.id IN $1',
    'SELECT o FROM /open o WHERE o.name = $1',
    'SELECT o FROM /open o, $1 s',
  ]) {
    const answer = await adhoc(oql, CLERK, [text]);
    assert.ok(!answer.text.includes('4711'), `${oql}: ${answer.text}`);
  }
  const found = await adhoc('SELECT o.id FROM /open o WHERE o.name = $1', CLERK, [text]);
  assert.equal(found.text, '[1]');
});

test('S2: with the permission the same queries run', async () => {
  const answer = await adhoc('SELECT o.id FROM /open o, o.items i WHERE i.n = 1');
  assert.equal(answer.text, '[1]');
});
