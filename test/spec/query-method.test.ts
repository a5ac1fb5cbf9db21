// Section QUERY: queries by a method that is safe and has a body.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, json } from '../http-client.ts';
import { onEveryEngine, Service } from '../service.ts';

const OQL = { 'Content-Type': 'application/oql' };

for (const reading of ['direct', 'node'] as const) {
  onEveryEngine(
    `QUERY, read by the ${reading} reader`,
    (service) => {
      const query = (body: string, headers: Readonly<Record<string, string>> = OQL) =>
        service().send('QUERY', '/queries', { headers, body });

      it('runs a text, alone or with bind parameters, and a named query', async () => {
        const region = await service().region({ a: '{"n":20.0}', b: '{"n":2}' });
        const text = `SELECT o.n FROM /${region} o WHERE o.n > 5`;
        const alone = await query(text);
        assert.equal(alone.status, 200, alone.text);
        assert.equal(alone.text, '[20.0]');
        const { location = '' } = alone.headers;
        const again = await service().sendTo('GET', location.slice(service().origin.length));
        assert.equal(again.text, alone.text);
        const oql = `SELECT o.n FROM /${region} o WHERE o.n > $1`;
        const bound = await query(JSON.stringify({ oql, params: [5] }), {});
        assert.equal(bound.text, '[20.0]');
        await service().send('POST', `/queries?id=above-${region}&q=${encodeURIComponent(oql)}`);
        const named = await service().send('QUERY', `/queries/above-${region}`, { body: '[1]' });
        assert.deepEqual(json(named), [20, 2]);
        const lines = await query(text, { ...OQL, Accept: 'application/x-ndjson' });
        assert.equal(lines.text, '20.0\n');
        const plan = await service().send('QUERY', '/queries?explain=true', {
          headers: OQL,
          body: text,
        });
        assert.ok('plan' in Object(json(plan)));
      });

      it('names the moment of the query in Location', async () => {
        const region = await service().region({}, { settings: { history: { count: 10 } } });
        const first = await service().send('PUT', `/${region}/a`, { body: '{"n":1}' });
        const version = (first.headers['etag'] ?? '').slice(1, -1);
        await service().send('PUT', `/${region}/a`, { body: '{"n":2}' });
        const { time } = Object(json(await service().get(`/${region}/_history/a`))).versions[1];
        for (const at of [version, time]) {
          const answer = await service().send('QUERY', `/queries?at=${at}`, {
            headers: OQL,
            body: `SELECT o.n FROM /${region} o`,
          });
          const { location = '' } = answer.headers;
          const again = await service().sendTo('GET', location.slice(service().origin.length));
          assert.equal(again.text, answer.text);
          assert.ok(location.endsWith(`&at=${at}`), location);
        }
        const none = await query('');
        assert.match(none.text, /The request needs the text of a query as body/);
      });

      it('answers failures with 4xx statuses and the codes of queries', async () => {
        const region = await service().region({ a: '{"n":0}' });
        const codeOf = (answer: Answer): string => Object(json(answer)).code;
        const cases: readonly (readonly [string, number, string])[] = [
          ['SELECT FROM', 400, 'oql/syntax-error'],
          ['SELECT * FROM /nowhere', 400, 'oql/region-not-found'],
          [`SELECT * FROM /${region} o WHERE o.n = $1`, 400, 'oql/parameter-count'],
          [`SELECT 1 / o.n FROM /${region} o`, 422, 'oql/division-by-zero'],
          [`SELECT o.n.lenght() FROM /${region} o`, 400, 'oql/method-not-found'],
          [`SELECT o.n.length() FROM /${region} o`, 422, 'oql/method-not-found'],
        ];
        for (const [text, status, code] of cases) {
          const answer = await query(text);
          assert.equal(answer.status, status, answer.text);
          assert.equal(codeOf(answer), code);
          const posted = await service().send('POST', '/queries/adhoc', {
            body: JSON.stringify({ oql: text }),
          });
          assert.equal(posted.status, 500, 'as the specification has it');
          assert.equal(codeOf(posted), code);
        }
        const wrong = Object(json(await query('SELECT FROM')));
        assert.equal(wrong.position.offset, 7);
        assert.equal((await service().send('QUERY', '/queries/nowhere')).status, 404);
        assert.equal((await service().send('QUERY', `/${region}`)).status, 405);
      });

      it('accepts only its media types, and names them', async () => {
        const other = await query('SELECT 1', { 'Content-Type': 'text/plain' });
        assert.equal(other.status, 415);
        assert.equal(other.headers['accept-query'], 'application/json, application/oql');
        const named = await service().send('QUERY', '/queries/q', { headers: OQL, body: 'x' });
        assert.equal(named.status, 415);
        assert.equal(named.headers['accept-query'], 'application/json');
        const options = await service().send('OPTIONS', '/queries');
        assert.equal(options.headers['accept-query'], 'application/json, application/oql');
        assert.match(options.headers['allow'] ?? '', /\bQUERY\b/);
        const ofNamed = await service().send('OPTIONS', '/queries/any');
        assert.equal(ofNamed.headers['accept-query'], 'application/json');
        assert.equal((await service().send('OPTIONS', '/any')).headers['accept-query'], undefined);
        assert.equal((await service().send('QUERY', '/queries', { headers: OQL })).status, 400);
        assert.equal((await service().send('QUERY', '/queries')).status, 400);
        const broken = await service().send('QUERY', '/queries', {
          headers: OQL,
          body: Buffer.from([0xff, 0xfe]),
        });
        assert.equal(broken.status, 400);
      });

      it('is answered with 304 until a region that it reads changes', async () => {
        const region = await service().region({ a: '{"n":1}' });
        const other = await service().region({ a: '{"n":1}' });
        const text = `SELECT COUNT(*) FROM /${region}`;
        const first = await query(text);
        const { etag = '' } = first.headers;
        assert.match(etag, /^W\/".+"$/);
        const repeat = (headers = {}): Promise<Answer> =>
          query(text, { ...OQL, 'If-None-Match': etag, ...headers });
        const unchanged = await repeat();
        assert.equal(unchanged.status, 304);
        assert.equal(unchanged.headers['etag'], etag);
        assert.equal(unchanged.text, '');
        await service().put(other, { b: '{}' });
        assert.equal((await repeat()).status, 304, 'another region has changed');
        assert.equal((await repeat({ Accept: 'text/csv' })).status, 200, 'another form');
        assert.equal((await query(`${text} x`, { ...OQL, 'If-None-Match': etag })).status, 200);
        await service().put(region, { b: '{}' });
        const changed = await repeat();
        assert.equal(changed.status, 200);
        assert.equal(changed.text, '[2]');
        assert.notEqual(changed.headers['etag'], etag);
        await service().send('DELETE', `/${region}`);
        assert.equal(
          (await query(text, { ...OQL, 'If-None-Match': changed.headers['etag'] ?? '' })).text,
          '[0]',
        );
        const timed = await query(`SELECT CURRENT_DATE FROM /${region}`);
        assert.equal(timed.headers['etag'], undefined);
        const named = `of-${region}`;
        const oql = `SELECT o.n FROM /${region} o WHERE o.n > $1`;
        await service().send('POST', `/queries?id=${named}&q=${encodeURIComponent(oql)}`);
        const tagOf = async (body: string): Promise<unknown> =>
          (await service().send('QUERY', `/queries/${named}`, { body })).headers['etag'];
        assert.equal(await tagOf('[1]'), await tagOf('[1]'));
        assert.notEqual(await tagOf('[1]'), await tagOf('[2]'));
        assert.notEqual(await tagOf('[1]'), await tagOf('["1"]'));
      });
    },
    { http: { reading } },
  );
}

it('lets pages of allowed origins send QUERY, and no others', async () => {
  await using service = await Service.start({ http: { corsOrigins: ['https://app.example'] } });
  const region = await service.region({ a: '{}' });
  const preflight = await service.send('OPTIONS', '/queries', {
    headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'QUERY' },
  });
  assert.match(preflight.headers['access-control-allow-methods'] ?? '', /\bQUERY\b/);
  const send = (origin: string): Promise<Answer> =>
    service.send('QUERY', '/queries', {
      headers: { ...OQL, Origin: origin },
      body: `SELECT COUNT(*) FROM /${region}`,
    });
  assert.equal((await send('https://app.example')).status, 200);
  assert.equal((await send('https://evil.example')).status, 403);
});
