// The plan of a query over HTTP, as JSON and as text.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADMIN, onEveryEngine } from '../service.ts';

const JSON_BODY = { 'Content-Type': 'application/json' };

onEveryEngine('Explain', (service) => {
  const adhoc = (oql: string, flags: string, accept = 'application/json') =>
    service().get(`/queries/adhoc?q=${encodeURIComponent(oql)}&${flags}`, { Accept: accept });

  async function indexedRegion(): Promise<string> {
    const entries = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`k${i}`, `{"n":${i},"s":"x"}`]),
    );
    const region = await service().region(entries);
    const index = { name: 'by-n', expression: 'o.n', from: `/${region} o` };
    const path = `${ADMIN}/regions/${region}/indexes`;
    const options = { headers: JSON_BODY, body: JSON.stringify(index) };
    assert.equal((await service().sendTo('POST', path, options)).status, 201);
    return region;
  }

  it('shows the plan with estimates, and the index it would use, without running it', async () => {
    const region = await indexedRegion();
    const answer = await adhoc(`SELECT o.s FROM /${region} o WHERE o.n = 7`, 'explain=true');
    assert.equal(answer.status, 200);
    const explained = JSON.parse(answer.text);
    assert.deepEqual(explained['indexes-used'], ['by-n']);
    assert.deepEqual(explained['indexes-refused'], []);
    assert.equal(explained['rows-because'], null);
    assert.ok('estimated-rows' in explained.plan);
    assert.ok(!('actual-rows' in explained.plan));
  });

  it('runs the query for analyze, and shows actual rows and times', async () => {
    const region = await indexedRegion();
    const answer = await adhoc(`SELECT o.s FROM /${region} o WHERE o.n < 3`, 'analyze=true');
    const { plan } = JSON.parse(answer.text);
    assert.equal(plan['actual-rows'], 3);
    assert.equal(typeof plan['actual-ms'], 'number');
  });

  it('draws the plan for Accept: text/plain, and says why an index was not used', async () => {
    const region = await indexedRegion();
    const oql = `SELECT o.s FROM /${region} o WHERE o.n >= 0`;
    const answer = await adhoc(oql, 'explain=true', 'text/plain');
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
    assert.match(answer.text, /└ /);
    assert.match(answer.text, /index by-n: refused, /);
  });

  it('answers 406 when Accept allows no type of a plan', async () => {
    const region = await indexedRegion();
    for (const accept of ['text/csv', 'application/x-ndjson']) {
      const answer = await adhoc(`SELECT o.s FROM /${region} o`, 'explain=true', accept);
      assert.equal(answer.status, 406, answer.text);
    }
    const both = await adhoc(`SELECT o.s FROM /${region} o`, 'explain=true', 'text/csv, */*;q=0.1');
    assert.equal(both.headers['content-type'], 'application/vnd.gridkeep.plan+json');
  });

  it('explains a named query with its parameters', async () => {
    const region = await indexedRegion();
    const oql = encodeURIComponent(`SELECT o.s FROM /${region} o WHERE o.n = $1`);
    await service().send('POST', `/queries?id=explained-${region}&q=${oql}`);
    const options = { headers: JSON_BODY, body: '[{"@type":"int","@value":7}]' };
    const path = `/queries/explained-${region}?explain=true`;
    const answer = await service().send('POST', path, options);
    assert.deepEqual(JSON.parse(answer.text)['indexes-used'], ['by-n']);
  });

  it('returns plain text only for plans, and fails like the query', async () => {
    const region = await indexedRegion();
    const oql = `SELECT * FROM /${region}`;
    assert.equal((await adhoc(oql, 'explain=false', 'text/plain')).status, 406);
    assert.equal((await adhoc('SELECT', 'explain=true')).status, 500);
    assert.equal((await adhoc(oql, 'explain=maybe')).status, 400);
  });

  it('shows the rules of the planner, and figures of every step', async () => {
    const region = await indexedRegion();
    const oql = `SELECT o.n FROM /${region} o WHERE o.s = 'x' ORDER BY o.n DESC LIMIT 2`;
    const explained = JSON.parse((await adhoc(oql, 'analyze=true')).text);
    assert.deepEqual(explained.rules, ['order-from-index']);
    assert.deepEqual(explained.subqueries, []);
    const steps: string[] = [];
    for (let step = explained.plan; step !== undefined; step = step.input) {
      steps.push(step.node);
      assert.equal(typeof step['actual-rows'], 'number', step.node);
      assert.equal(typeof step['actual-ms'], 'number', step.node);
    }
    assert.deepEqual(steps, ['project', 'limit', 'filter', 'index-order']);
    assert.equal((await adhoc(oql, '')).text, '[49,48]');
  });

  it('shows both sides of a join, and subqueries', async () => {
    const region = await indexedRegion();
    const oql = `SELECT COUNT(*) FROM /${region} a, /${region} b WHERE a.s = b.s AND a.n IN (SELECT c.n FROM /${region} c WHERE c.n < 3)`;
    const explained = JSON.parse((await adhoc(oql, 'analyze=true')).text);
    assert.equal(explained.plan.input.node, 'hash-join');
    assert.equal(explained.plan.input.build.node, 'build');
    assert.equal(explained.plan.input['actual-rows'], 150);
    assert.equal((await adhoc(oql, '')).text, '[150]');
  });

  it('shows each subquery of a UNION with its own rows', async () => {
    const region = await indexedRegion();
    const part = (below: number): string => `(SELECT p.n FROM /${region} p WHERE p.n < ${below})`;
    const oql = `SELECT COUNT(*) FROM /${region} o WHERE o.n IN (${part(3)} UNION ${part(2)} UNION ${part(5)})`;
    const answer = await adhoc(oql, 'analyze=true');
    const { plan, subqueries } = JSON.parse(answer.text);
    assert.equal(plan['actual-rows'], 1);
    assert.deepEqual(
      subqueries.map((each: { 'actual-rows': number }) => each['actual-rows']),
      [3, 2, 5],
    );
  });

  it('shows LEFT JOIN as a node', async () => {
    const region = await indexedRegion();
    const oql = `SELECT a.n FROM /${region} a LEFT JOIN /${region} b ON b.n = a.n AND b.n < 3`;
    const { plan } = JSON.parse((await adhoc(oql, 'analyze=true')).text);
    assert.equal(plan.input.node, 'left-join');
    assert.equal(plan.input['actual-rows'], 50);
    assert.equal(plan.input.build['actual-rows'], 3);
  });

  it('runs the query for analyze as it is run without: each subquery once, not for each row', async () => {
    const region = await indexedRegion();
    const oql = `SELECT a.n FROM /${region} a LEFT JOIN /${region} b ON b.n = a.n AND b.n < 3 WHERE b = NULL OR b.n < 3`;
    const explained = JSON.parse((await adhoc(oql, 'analyze=true')).text);
    assert.equal(explained.plan['actual-rows'], 50);
    assert.equal(explained.subqueries?.[0]?.['actual-rows'], 3);
  });

  it('shows indexes on keys and on members of maps', async () => {
    const entries = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`k${i}`, `{"id":"k${i}","m":{"a":${i}}}`]),
    );
    const region = await service().region(entries);
    const create = (index: object) =>
      service().sendTo('POST', `${ADMIN}/regions/${region}/indexes`, {
        headers: JSON_BODY,
        body: JSON.stringify(index),
      });
    const from = `/${region} o`;
    const created = [
      await create({ name: 'by-key', kind: 'key', expression: 'o.id', from }),
      await create({ name: 'by-map', expression: "o.m['a','b']", from }),
      await create({ name: 'by-any', expression: 'o.m[*]', from }),
    ];
    assert.deepEqual(
      created.map(({ status }) => status),
      [201, 201, 201],
    );
    const refused = [
      await create({ name: 'no', kind: 'key', expression: 'i.x', from: `${from}, o.items i` }),
      await create({ name: 'no', kind: 'hash', expression: 'o.m[*]', from }),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [400, 400],
    );
    const used = async (oql: string): Promise<unknown> =>
      JSON.parse((await adhoc(oql, 'explain=true')).text)['indexes-used'];
    const byKey = `SELECT o.m FROM ${from} WHERE o.id = 'k7'`;
    assert.deepEqual(await used(byKey), ['by-key']);
    assert.equal((await adhoc(byKey, '')).text, '[{"a":7}]');
    const byMember = `SELECT o.id FROM ${from} WHERE o.m['a'] = 7`;
    assert.deepEqual(await used(byMember), ['by-map-a']);
    assert.equal((await adhoc(byMember, '')).text, '["k7"]');
  });
});
