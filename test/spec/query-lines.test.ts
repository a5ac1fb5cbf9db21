// Query results as NDJSON and CSV, with the same rows as JSON.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../http-client.ts';
import { onEveryEngine } from '../service.ts';

const NDJSON = { Accept: 'application/x-ndjson' };
const CSV = { Accept: 'text/csv' };

onEveryEngine('Query results in lines', (service) => {
  const run = (oql: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
    service().get(`/queries/adhoc?q=${encodeURIComponent(oql)}`, headers);

  it('returns the elements of the JSON array, one per line, digit for digit', async () => {
    const region = await service().region({
      a: '{"n":20.0,"big":12345678901234567890,"t":"x\\ny,{}]","l":[1,{"m":[]}]}',
      b: '{"n":1e400}',
      c: '{"@type":"T"}',
    });
    for (const oql of [
      `SELECT * FROM /${region}`,
      `SELECT o.n AS n, o.t AS t FROM /${region} o ORDER BY o.t`,
      `SELECT o.big FROM /${region} o`,
      `SELECT COUNT(*) FROM /${region}`,
      `SELECT o FROM /${region} o WHERE o.n = 99`,
    ]) {
      const whole = (await run(oql, {})).text;
      const lines = await run(oql, NDJSON);
      assert.equal(lines.status, 200, lines.text);
      assert.equal(lines.headers['content-type'], 'application/x-ndjson');
      assert.equal(`[${lines.text.trimEnd().split('\n').join(',')}]`, whole);
      assert.ok(lines.text === '' || lines.text.endsWith('\n'));
    }
  });

  it('streams results of any size, for named and posted queries too, with an end on request', async () => {
    const entries = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`k${i}`, `{"n":${i},"pad":"${'x'.repeat(30)}"}`]),
    );
    const region = await service().region(entries);
    const oql = `SELECT o.n AS n, o.pad AS pad FROM /${region} o`;
    const whole = (await run(oql, {})).text;
    await service().send('POST', `/queries?id=all-of-${region}&q=${encodeURIComponent(oql)}`);
    const named = await service().send('POST', `/queries/all-of-${region}?end=true`, {
      headers: NDJSON,
      body: '[]',
    });
    const posted = await service().send('POST', '/queries/adhoc', {
      headers: { ...NDJSON, Prefer: 'trailer' },
      body: JSON.stringify({ oql }),
    });
    assert.equal(posted.headers['preference-applied'], 'trailer');
    for (const answer of [named, posted]) {
      const rows = answer.text.trimEnd().split('\n');
      const end = JSON.parse(rows.pop() ?? '') as { '@end': { count: number; sequence: number } };
      assert.equal(end['@end'].count, 5000);
      assert.equal(end['@end'].sequence, service().engine.stats().sequence);
      assert.equal(`[${rows.join()}]`, whole);
    }
    const csv = await run(oql, CSV);
    assert.equal(csv.text.trimEnd().split('\r\n').length, 5001);
    const packed = await run(oql, { ...CSV, 'Accept-Encoding': 'gzip' });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    const point = await service().get(
      `/queries/adhoc?end=true&q=${encodeURIComponent(`SELECT * FROM /${region}.keys k WHERE k = 'k7'`)}`,
      NDJSON,
    );
    assert.match(point.text, /^"k7"\n\{"@end":\{"count":1,"sequence":\d+\}\}\n$/);
  });

  it('prints CSV by RFC 4180: header, quotes where they are needed, nested values as JSON', async () => {
    const region = await service().region({
      a: '{"n":20.0,"t":"a \\"b\\", c","o":{"x":[1,"y"]}}',
      b: '{"n":12345678901234567890,"t":"two\\r\\nlines","b":true}',
      c: '{"t":"","n":null,"late":1}',
    });
    const all = await run(`SELECT * FROM /${region}`, CSV);
    assert.equal(all.headers['content-type'], 'text/csv; charset=utf-8; header=present');
    assert.equal(
      all.text,
      'n,t,o,b,late\r\n' +
        '20.0,"a ""b"", c","{""x"":[1,""y""]}",,\r\n' +
        '12345678901234567890,"two\r\nlines",,true,\r\n' +
        ',"",,,1\r\n',
    );
    const some = await run(
      `SELECT o.t AS "the text", o.n AS n FROM /${region} o WHERE o.n = 20`,
      CSV,
    );
    assert.equal(some.status, 200, some.text);
    const none = await run(`SELECT o.t AS t, o.n AS n FROM /${region} o WHERE o.n = 7`, CSV);
    assert.equal(none.text, 't,n\r\n');
    for (const query of [
      'SELECT o.t AS t, o.n AS n FROM /R o WHERE o.n = 7 UNION SELECT o.n AS x, o.t AS y FROM /R o WHERE o.n = 7',
      'SELECT o.t AS t, o.n AS n FROM /R o EXCEPT SELECT o.t AS t, o.n AS n FROM /R o ORDER BY n LIMIT 1',
      'SELECT * FROM (SELECT o.t AS t, o.n AS n FROM /R o WHERE o.n = 7) s',
    ]) {
      assert.equal((await run(query.replaceAll('/R', `/${region}`), CSV)).text, 't,n\r\n', query);
    }
    const union = await run(
      `SELECT o.n FROM /${region} o WHERE o.n = 20 UNION SELECT o.b FROM /${region} o WHERE o.b ORDER BY 1 NULLS FIRST LIMIT 0`,
      CSV,
    );
    assert.equal(union.text, 'n\r\n');
    const scalars = await run(`SELECT o.n FROM /${region} o ORDER BY o.n`, CSV);
    assert.equal(scalars.text.split('\r\n')[0], 'n');
    assert.equal(scalars.text.split('\r\n').length, 5);
    const counted = await run(`SELECT COUNT(*) FROM /${region}`, CSV);
    assert.equal(counted.text, '0\r\n3\r\n');
    const named = await run(`SELECT COUNT(*) AS "how many" FROM /${region}`, CSV);
    assert.equal(named.text, 'how many\r\n3\r\n');
  });

  it('chooses the format with the highest quality in Accept, and refuses others', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const oql = `SELECT * FROM /${region}`;
    const typeFor = async (accept: string): Promise<unknown> => {
      const answer = await run(oql, { Accept: accept });
      return answer.status === 200 ? answer.headers['content-type'] : answer.status;
    };
    assert.equal(await typeFor('*/*'), 'application/json');
    assert.equal(
      await typeFor('text/csv;q=0.9, application/json;q=0.2'),
      'text/csv; charset=utf-8; header=present',
    );
    assert.equal(await typeFor('application/json, text/csv'), 'application/json');
    assert.equal(await typeFor('text/*'), 'text/csv; charset=utf-8; header=present');
    assert.equal(await typeFor('text/plain'), 406);
    assert.equal(await typeFor('application/vnd.gridkeep.plan+json'), 406);
    assert.equal(await typeFor('image/png'), 406);
    assert.equal(
      (await service().get(`/queries/adhoc?end=true&q=${encodeURIComponent(oql)}`)).status,
      400,
    );
    const failed = await run('SELECT * FROM /nowhere', NDJSON);
    assert.equal(failed.status, 500, 'as the specification has it');
    assert.equal(failed.headers['content-type'], 'application/json');
    const warned = await run(`SELECT o.nothing FROM /${region} o`, NDJSON);
    assert.match(warned.headers['query-warnings'] ?? '', /nothing/);
  });
});
