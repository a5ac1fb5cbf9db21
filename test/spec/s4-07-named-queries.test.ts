// Sections 4.7, 4.9 and 4.10, and the additions of decisions.md to stored queries.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json } from '../http-client.ts';
import { onEveryEngine, type Service, Service as Services } from '../service.ts';

const TEXT = 'SELECT DISTINCT * FROM /orders o WHERE o.total > $1 AND o.name = "a+b"';

onEveryEngine('4.7 List named queries', (service, engine) => {
  it('returns an empty list when there are none', async () => {
    await using empty = await Services.start({ engine });
    const answer = await empty.get('/queries');
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '{"queries":[]}');
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['location'], `${empty.api}/queries`);
  });

  it('returns id and text of every query, sorted by id', async () => {
    await using own = await Services.start({ engine });
    await own.grid.createQuery({ id: 'b', oql: 'SELECT "x" FROM /a' });
    await own.grid.createQuery({ id: 'a', oql: TEXT });
    assert.deepEqual(json(await own.get('/queries')), {
      queries: [
        { id: 'a', oql: TEXT },
        { id: 'b', oql: 'SELECT "x" FROM /a' },
      ],
    });
  });

  it('allows GET, HEAD, POST and QUERY', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await service().send(method, '/queries');
      assert.equal(answer.status, 405);
      const allowed = answer.headers['allow']?.split(', ').sort();
      assert.deepEqual(allowed, ['GET', 'HEAD', 'POST', 'QUERY']);
    }
  });
});

onEveryEngine('4.9 Update a named query', (service) => {
  it('stores the new text of q, and answers 200 with an empty body', async () => {
    const id = await newQuery(service());
    const answer = await service().send('PUT', `/queries/${id}?q=${encodeURIComponent(TEXT)}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.equal(answer.headers['location'], `${service().api}/queries/${id}`);
    assert.equal(await textOf(service(), id), TEXT);
  });

  it('is idempotent', async () => {
    const id = await newQuery(service());
    for (let i = 0; i < 3; i += 1) {
      const answer = await service().send('PUT', `/queries/${id}?q=SELECT%202`);
      assert.equal(answer.status, 200);
      assert.equal(await textOf(service(), id), 'SELECT 2');
    }
  });

  it('refuses a text in the body with 400, for it must be given in q', async () => {
    const id = await newQuery(service());
    for (const path of [`/queries/${id}`, `/queries/${id}?q=`, `/queries/${id}?q=%20`]) {
      const answer = await service().send('PUT', path, { body: '"SELECT 3"' });
      assert.equal(answer.status, 400);
      assert.equal(Object(json(answer)).cause, 'Query parameter q, the OQL text, is missing');
    }
    assert.equal(await textOf(service(), id), 'SELECT 1');
  });

  it('ignores a body beside q', async () => {
    const id = await newQuery(service());
    const options = { body: 'not json', headers: { 'Content-Type': 'text/plain' } };
    const answer = await service().send('PUT', `/queries/${id}?q=SELECT%204`, options);
    assert.equal(answer.status, 200);
    assert.equal(await textOf(service(), id), 'SELECT 4');
  });

  it('answers 404 when the query id cannot be found, with the nearest one as hint', async () => {
    const id = await newQuery(service());
    const answer = await service().send('PUT', `/queries/${id}x?q=SELECT%201`);
    assert.equal(answer.status, 404);
    const text = `Named query (${id}x) does not exist`;
    assert.deepEqual(json(answer), {
      cause: text,
      message: text,
      code: 'grid/query-not-found',
      hint: `did you mean ${id}?`,
    });
  });

  it('stores the text decoded once, without one pair of enclosing quotes', async () => {
    const id = await newQuery(service());
    const stored = async (q: string): Promise<string> => {
      const answer = await service().send('PUT', `/queries/${id}?q=${q}`);
      assert.equal(answer.status, 200, q);
      return textOf(service(), id);
    };
    assert.equal(await stored('SELECT%20%2520'), 'SELECT %20');
    assert.equal(await stored('%22SELECT%20%22a%22%22'), 'SELECT "a"');
    assert.equal(await stored('%22%22SELECT%201%22%22'), '"SELECT 1"');
    assert.equal(await stored('SELECT%201%20+%202'), 'SELECT 1 + 2');
    assert.equal(await stored('SELECT%20%F0%9F%98%80'), 'SELECT \u{1F600}');
    assert.equal(await stored('this%20is%20no%20query%20('), 'this is no query (');
  });

  it('reads + as a blank in a text without any blank', async () => {
    const id = await newQuery(service());
    await service().send('PUT', `/queries/${id}?q=SELECT+*+FROM+/orders`);
    assert.equal(await textOf(service(), id), 'SELECT * FROM /orders');
    await service().send('PUT', `/queries/${id}?q=SELECT+*%0AFROM+/orders%09o`);
    assert.equal(await textOf(service(), id), 'SELECT *\nFROM /orders\to');
  });

  it('answers 400 when q is given twice or is badly encoded', async () => {
    const id = await newQuery(service());
    for (const query of ['q=SELECT%201&q=SELECT%202', 'q=%', 'q=%FF', 'q=%C3']) {
      const answer = await service().send('PUT', `/queries/${id}?${query}`);
      assert.equal(answer.status, 400, query);
    }
    assert.equal(await textOf(service(), id), 'SELECT 1');
  });
});

onEveryEngine('4.10 Delete a named query', (service) => {
  it('answers 200, and the query is gone', async () => {
    const id = await newQuery(service());
    const answer = await service().send('DELETE', `/queries/${id}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.equal((await service().get(`/queries/${id}`)).status, 404);
  });

  it('answers 404 when the query id cannot be found', async () => {
    const answer = await service().send('DELETE', '/queries/never-there');
    assert.equal(answer.status, 404);
    assert.equal(Object(json(answer)).code, 'grid/query-not-found');
  });

  it('allows GET, HEAD, POST, PUT and DELETE on a query', async () => {
    const answer = await service().send('PATCH', '/queries/any');
    assert.equal(answer.status, 405);
    const allowed = answer.headers['allow']?.split(', ') ?? [];
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) assert.ok(allowed.includes(method));
  });
});

onEveryEngine('Decisions 3: creating and reading named queries', (service) => {
  it('creates a query with 201, an empty body and its Location', async () => {
    const q = encodeURIComponent(TEXT);
    const answer = await service().send('POST', `/queries?id=by%20name&q=${q}`);
    assert.equal(answer.status, 201);
    assert.equal(answer.text, '');
    assert.equal(answer.headers['location'], `${service().api}/queries/by%20name`);
    const read = await service().get('/queries/by%20name');
    assert.equal(read.status, 200);
    assert.equal(read.headers['content-type'], 'application/json');
    assert.equal(read.text, JSON.stringify({ id: 'by name', oql: TEXT }));
  });

  it('answers 409 with the existing query', async () => {
    const id = await newQuery(service());
    const answer = await service().send('POST', `/queries?id=${id}&q=SELECT%202`);
    assert.equal(answer.status, 409);
    assert.equal(answer.text, `{"id":"${id}","oql":"SELECT 1"}`);
    assert.equal(await textOf(service(), id), 'SELECT 1');
  });

  it('answers 400 without an id or a text', async () => {
    for (const query of ['', '?id=x', '?q=SELECT%201', '?id=&q=SELECT%201', '?id=x&q=']) {
      const answer = await service().send('POST', `/queries${query}`);
      assert.equal(answer.status, 400, query);
      assert.match(Object(json(answer)).cause, /^Query parameter (id|q, the OQL text,) is missing/);
    }
  });

  it('accepts id and text in a JSON body, or one of them as a parameter', async () => {
    for (const [query, body] of [
      ['', { id: 'in-body-1', oql: TEXT }],
      ['', { id: 'in-body-2', q: TEXT }],
      ['?id=in-body-3', { oql: TEXT }],
      [`?q=${encodeURIComponent(TEXT)}`, { id: 'in-body-4' }],
      ['?check=true', { id: 'in-body-5', oql: 'SELECT * FROM SET(1, 2)' }],
    ] as const) {
      const sent = JSON.stringify(body);
      const answer = await service().send('POST', `/queries${query}`, { body: sent });
      assert.equal(answer.status, 201, `${query} ${sent} ${answer.text}`);
      const id = 'id' in body ? body.id : 'in-body-3';
      assert.equal(answer.headers['location'], `${service().api}/queries/${id}`);
      const expected = 'oql' in body ? body.oql : TEXT;
      assert.equal(await textOf(service(), id), expected);
    }
  });

  it('refuses a body with missing, extra or wrong members', async () => {
    for (const [query, body, reason] of [
      ['', '{}', /id is missing/],
      ['', '{"id":"x"}', /OQL text, is missing/],
      ['', '{"id":"x","oql":""}', /OQL text, is missing/],
      ['', '{"id":"x","oql":" "}', /empty/],
      ['', '{"id":"x","oql":"SELECT 1","q":"SELECT 2"}', /More than one q/],
      ['?id=y', '{"id":"x","oql":"SELECT 1"}', /More than one id/],
      ['', '{"id":"x","text":"SELECT 1"}', /Unknown member \(text\)/],
      ['', '{"id":1,"oql":"SELECT 1"}', /id must be a string/],
      ['', '[]', /must be a JSON object/],
      ['?check=true', '{"id":"x","oql":"SELEC 1"}', /./],
    ] as const) {
      const answer = await service().send('POST', `/queries${query}`, { body });
      assert.equal(answer.status, 400, body);
      assert.match(Object(json(answer)).cause, reason);
    }
    assert.equal((await service().get('/queries/x')).status, 404);
  });

  it('refuses ids that no path reaches, control characters and more than 255 characters', async () => {
    const emoji = encodeURIComponent('\u{1F600}');
    for (const id of ['adhoc', '.', '..', '%00', 'a%0Ab', 'x'.repeat(256), emoji.repeat(256)]) {
      const answer = await service().send('POST', `/queries?id=${id}&q=SELECT%201`);
      assert.equal(answer.status, 400, id);
      assert.equal(Object(json(answer)).code, 'grid/bad-query-id');
    }
    for (const character of ['x', emoji]) {
      const longest = `/queries?id=${character.repeat(255)}&q=SELECT%201`;
      assert.equal((await service().send('POST', longest)).status, 201, character);
      const path = `/queries/${character.repeat(255)}`;
      assert.equal((await service().send('DELETE', path)).status, 200, character);
    }
  });

  it('accepts any other id', async () => {
    for (const id of ['a/b', 'a,b', 'keys', '\u{1F600}', '__proto__', '%41', '?', '#']) {
      const path = encodeURIComponent(id);
      assert.equal((await service().send('POST', `/queries?id=${path}&q=SELECT%201`)).status, 201);
      assert.equal(await textOf(service(), id), 'SELECT 1');
      assert.equal((await service().send('DELETE', `/queries/${path}`)).status, 200);
    }
  });
});

let queries = 0;

async function newQuery(service: Service): Promise<string> {
  queries += 1;
  const id = `query-${queries}-of-this-test`;
  await service.grid.createQuery({ id, oql: 'SELECT 1' });
  return id;
}

async function textOf(service: Service, id: string): Promise<string> {
  const answer = await service.get(`/queries/${encodeURIComponent(id)}`);
  assert.equal(answer.status, 200, answer.text);
  const query = json(answer) as { id: string; oql: string };
  assert.equal(query.id, id);
  return query.oql;
}
