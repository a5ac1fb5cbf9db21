// S9: after ten failed logins in a minute the answer is 429. S10: neither the time nor the text of an
// answer reveals whether a user exists.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiKeys } from '../../src/http/auth/api-key.ts';
import { Authenticator } from '../../src/http/auth/authenticator.ts';
import {
  createDummyHash,
  hashPassword,
  parsePasswordHash,
} from '../../src/http/auth/password-hash.ts';
import type { Answer } from '../http-client.ts';
import { Service } from '../service.ts';
import { apiKey, authenticatorOf, basic, bearer, CHEAP, type Headers, user } from './logins.ts';

interface Attacked extends AsyncDisposable {
  ping(headers: Headers): Promise<Answer>;
  pass(ms: number): void;
  readonly key: string;
}

async function attacked(): Promise<Attacked> {
  let time = 1_000_000;
  const { key, setting } = apiKey('program', ['*']);
  const authenticator = await authenticatorOf(
    {
      users: [await user('ada', 'right password', ['*']), await user('bob', 'his password', ['*'])],
      apiKeys: [setting],
    },
    {},
    { now: () => time },
  );
  const service = await Service.start({ http: { authenticator } });
  return {
    key,
    ping: (headers) => service.send('GET', '/ping', { headers }),
    pass: (ms) => {
      time += ms;
    },
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

test('S9: after ten failed logins every login is refused for a minute, right or wrong', async () => {
  await using target = await attacked();
  for (let i = 0; i < 10; i += 1) {
    assert.equal((await target.ping(basic('ada', `guess ${i}`))).status, 401);
    target.pass(1_000);
  }
  const refused = await target.ping(basic('ada', 'right password'));
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '50');
  assert.match(refused.text, /auth\/too-many-failures/);
  target.pass(50_001);
  assert.equal((await target.ping(basic('ada', 'right password'))).status, 200);
});

test('S9: ten failures from one address block passwords of every user from there', async () => {
  await using target = await attacked();
  for (let i = 0; i < 10; i += 1) await target.ping(basic(`user-${i}`, 'guess'));
  assert.equal((await target.ping(basic('bob', 'his password'))).status, 429);
  assert.equal((await target.ping(basic('nobody', 'guess'))).status, 429);
});

test('S9: concurrent guesses are counted as well', async () => {
  await using target = await attacked();
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => target.ping(basic('ada', `guess ${i}`))),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(20).fill(429)]);
});

test('S9: failures by key and token count, but a valid key or token is never refused', async () => {
  await using target = await attacked();
  for (let i = 0; i < 10; i += 1) {
    const wrong = i % 2 === 0 ? `gridkeep_${i}` : `a.b${i}.c`;
    assert.equal((await target.ping(bearer(wrong))).status, 401);
  }
  assert.equal((await target.ping(bearer('gridkeep_x'))).status, 429);
  assert.equal((await target.ping(basic('ada', 'right password'))).status, 429);
  assert.equal((await target.ping(bearer(target.key))).status, 200);
});

test('S9: cached logins still work, and successful logins are not counted', async () => {
  await using target = await attacked();
  const ada = basic('ada', 'right password');
  for (let i = 0; i < 30; i += 1) {
    assert.equal((await target.ping(ada)).status, 200);
    target.pass(1_000);
  }
  target.pass(61_000);
  const together = await Promise.all(Array.from({ length: 20 }, () => target.ping(ada)));
  assert.ok(together.every(({ status }) => status === 200));
  for (let i = 0; i < 12; i += 1) await target.ping(basic('ada', `guess ${i}`));
  assert.equal((await target.ping(ada)).status, 200);
  assert.equal((await target.ping(basic('bob', 'his password'))).status, 429);
});

test('S9: requests without a login are not counted', async () => {
  await using target = await attacked();
  for (let i = 0; i < 20; i += 1) assert.equal((await target.ping({})).status, 401);
  assert.equal((await target.ping(basic('ada', 'right password'))).status, 200);
});

test('S10: an unknown user costs as much as the most expensive user', async () => {
  const cost = { N: 64, r: 2, p: 1 };
  const [cheap, costly] = [
    parsePasswordHash(await hashPassword('x', CHEAP)),
    parsePasswordHash(await hashPassword('x', cost)),
  ];
  assert.ok(cheap !== undefined && costly !== undefined);
  const dummy = createDummyHash([cheap, costly]);
  assert.deepEqual(dummy.cost, cost);
  assert.equal(dummy.hash.length, costly.hash.length);
});

test('S10: an unknown user is checked against a dummy, which never succeeds', async () => {
  // A dummy that matches the password, unlike the random one.
  const dummyHash = parsePasswordHash(await hashPassword('open sesame', CHEAP));
  assert.ok(dummyHash !== undefined);
  const authenticator = new Authenticator({
    users: new Map(),
    dummyHash,
    apiKeys: new ApiKeys([]),
    tokens: undefined,
    now: () => 0,
    wallClock: Date.now,
  });
  await using service = await Service.start({ http: { authenticator } });
  const answer = await service.send('GET', '/ping', { headers: basic('eve', 'open sesame') });
  assert.equal(answer.status, 401);
});

test('S10: the answer to an unknown user equals that to a wrong password', async () => {
  await using target = await attacked();
  const wrong = await target.ping(basic('ada', 'guess'));
  const unknown = await target.ping(basic('zoe', 'guess'));
  assert.equal(wrong.status, unknown.status);
  assert.equal(wrong.text, unknown.text);
  assert.deepEqual(Object.keys(wrong.headers), Object.keys(unknown.headers));
});
