// Members that no document has cause a warning, or an error on request.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../service.ts';

onEveryEngine('Warnings of queries', (service) => {
  const orders = () =>
    service().region({
      a: '{"id":1,"status":"paid","items":[{"sku":"x"}],"note":null}',
      b: '{"id":2,"status":"open","items":[]}',
    });
  const adhoc = (oql: string, flags = '') =>
    service().get(`/queries/adhoc?q=${encodeURIComponent(oql)}${flags}`);
  const warningsOf = (headers: Readonly<Record<string, unknown>>): unknown => {
    const header = headers['query-warnings'];
    return header === undefined ? [] : JSON.parse(String(header));
  };

  it('are sent as a header with the result', async () => {
    const region = await orders();
    const answer = await adhoc(`SELECT o.id FROM /${region} o WHERE o.statsu = 'paid'`);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '[]');
    assert.deepEqual(warningsOf(answer.headers), [
      `No document of /${region} has the member statsu (line 1, column ${28 + region.length}). Did you mean status?`,
    ]);
  });

  it('name the nearest member where there is one, of items too', async () => {
    const region = await orders();
    for (const [text, hint] of [
      [`SELECT i.skuu FROM /${region} o, o.items i`, 'Did you mean sku?'],
      [`SELECT o.items[0].skuu FROM /${region} o WHERE o.id = 1`, 'Did you mean sku?'],
      [`SELECT e.value.stattus FROM /${region}.entries e`, 'Did you mean status?'],
    ] as const) {
      const [warning = ''] = warningsOf((await adhoc(text)).headers) as string[];
      assert.ok(warning.endsWith(`. ${hint}`), `${text}: ${warning}`);
    }
    const [plain] = warningsOf((await adhoc(`SELECT o.zzz FROM /${region} o`)).headers) as string[];
    assert.match(plain ?? '', /\)$/);
    assert.deepEqual(
      warningsOf((await adhoc(`SELECT o.items[0].sku FROM /${region} o WHERE o.id = 1`)).headers),
      [],
    );
  });

  it('are errors for NOW without parentheses', async () => {
    const region = await orders();
    const answer = await adhoc(`SELECT o.id FROM /${region} o WHERE o.status < NOW`);
    assert.equal(answer.status, 500);
    assert.match(answer.text, /NOW\(\)/);
  });

  it('name members in lists, in joins and in functions', async () => {
    const region = await orders();
    const texts = [
      `SELECT i.skuu FROM /${region} o, o.items i`,
      `SELECT i.sku FROM /${region} o, o.itemz i`,
      `SELECT UPPER(o.stat) FROM /${region} o`,
      `SELECT a.id FROM /${region} a LEFT JOIN /${region} b ON a.id = b.other`,
      `SELECT e.key FROM /${region}.entries e WHERE e.value.nothing = 1`,
      `SELECT COUNT(*) FROM /${region} o WHERE EXISTS (SELECT x FROM /${region} x WHERE x.none = o.id)`,
    ];
    for (const text of texts) {
      const answer = await adhoc(text);
      assert.equal(answer.status, 200, text);
      assert.equal((warningsOf(answer.headers) as string[]).length, 1, text);
    }
  });

  it('are not sent if some document has the member, even as null', async () => {
    const region = await orders();
    const texts = [
      `SELECT o.note FROM /${region} o WHERE o.status.length > 3`,
      `SELECT i.sku FROM /${region} o, o.items i`,
      `SELECT o.items.size FROM /${region} o ORDER BY o.id`,
      `SELECT x.id AS other FROM (SELECT o.id, o.status FROM /${region} o) AS x`,
      `SELECT * FROM /${region}`,
    ];
    for (const text of texts) {
      const answer = await adhoc(text);
      assert.deepEqual(warningsOf(answer.headers), [], text);
    }
  });

  it('are not sent for an iterated list that is empty in every document', async () => {
    const region = await service().region({ a: '{"id":1,"items":[]}', b: '{"id":2,"notes":null}' });
    for (const list of ['items', 'notes']) {
      const answer = await adhoc(`SELECT o.id FROM /${region} o, o.${list} i`);
      assert.deepEqual(warningsOf(answer.headers), [], list);
    }
    const text = `SELECT o.id FROM /${region} o, o.items i, o.itens j WHERE i.sku = j.sku`;
    const warnings = warningsOf((await adhoc(text)).headers) as string[];
    assert.deepEqual(
      warnings.map((warning) => /member (\S+)/.exec(warning)?.[1]),
      ['itens', 'items.sku'],
    );
  });

  it('end when a document with the member is written', async () => {
    const region = await orders();
    const text = `SELECT o.late FROM /${region} o`;
    assert.notDeepEqual(warningsOf((await adhoc(text)).headers), []);
    await service().put(region, { c: '{"late":true}' });
    assert.deepEqual(warningsOf((await adhoc(text)).headers), []);
  });

  it('are not sent for a region without entries', async () => {
    const region = await service().region();
    assert.deepEqual(warningsOf((await adhoc(`SELECT o.a FROM /${region} o`)).headers), []);
  });

  it('are errors with strict=true', async () => {
    const region = await orders();
    const answer = await adhoc(`SELECT o.statsu FROM /${region} o`, '&strict=true');
    assert.equal(answer.status, 500);
    const { code, failure, position } = JSON.parse(answer.text);
    assert.deepEqual(
      [code, failure, position.column],
      ['oql/member-unknown', 'name-resolution', 8],
    );
    assert.equal((await adhoc(`SELECT o.id FROM /${region} o`, '&strict=true')).status, 200);
  });

  it('are shown in plans', async () => {
    const region = await orders();
    const answer = await adhoc(`SELECT o.statsu FROM /${region} o`, '&explain=true');
    assert.match(JSON.parse(answer.text).warnings[0], /statsu/);
  });

  it('refuse a text in double quotes, unless a document has a member of that name', async () => {
    const region = await orders();
    const answer = await adhoc(`SELECT o.id FROM /${region} o WHERE o.status = "paid"`);
    assert.equal(answer.status, 500);
    const { code, hint } = JSON.parse(answer.text);
    assert.equal(code, 'oql/name-unresolved');
    assert.equal(hint, "Texts are in single quotes: 'paid'");
    const member = await adhoc(`SELECT o.id FROM /${region} o WHERE "status" = 'paid'`);
    assert.equal(member.text, '[1]');
  });

  it('are sent for a named query that is saved with check=true, and refuse it with strict', async () => {
    const region = await orders();
    const save = (id: string, flags: string) =>
      service().send(
        'POST',
        `/queries?id=${id}&q=${encodeURIComponent(`SELECT o.none FROM /${region} o`)}${flags}`,
      );
    const saved = await save(`w-${region}`, '&check=true');
    assert.equal(saved.status, 201);
    assert.equal((warningsOf(saved.headers) as string[]).length, 1);
    assert.deepEqual(warningsOf((await save(`x-${region}`, '')).headers), []);
    assert.equal((await save(`y-${region}`, '&check=true&strict=true')).status, 400);
  });
});
