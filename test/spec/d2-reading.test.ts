// Decisions 2: details of reading that the specification leaves open.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, json } from '../http-client.ts';
import { onEveryEngine } from '../service.ts';

onEveryEngine('Decisions 2: which keys a request names', (service) => {
  it('splits the raw path on commas, then decodes each piece once', async () => {
    const region = await service().region({
      'x,y': '{"k":"comma"}',
      'a/b': '{"k":"slash"}',
      'a+b': '{"k":"plus"}',
      '%41': '{"k":"percent"}',
      A: '{"k":"A"}',
    });
    const answer = await service().get(`/${region}/x%2Cy,a%2fb,a+b,%2541,%41`);
    const expected = ['comma', 'slash', 'plus', 'percent', 'A'].map((k) => ({ k }));
    assert.deepEqual(json(answer), { [region]: expected });
  });

  it('answers 400 for an empty piece', async () => {
    const region = await service().region({ a: '{}' });
    for (const path of ['', 'a,', ',a', 'a,,b', ',', '%20', 'a,%20', '%09%0A']) {
      const answer = await service().get(`/${region}/${path}`);
      assert.equal(answer.status, 400, path);
      assert.equal(Object(json(answer)).cause, 'A key must not be empty');
      assert.equal(Object(json(answer)).code, 'request/bad-keys');
    }
    for (const query of ['', 'a,', ',']) {
      assert.equal((await service().get(`/${region}?keys=${query}`)).status, 400, query);
    }
  });

  it('trims blanks around a piece of the path', async () => {
    const region = await service().region({ a: '{"k":"a"}', 'b c': '{"k":"b c"}' });
    const answer = await service().get(`/${region}/%20a,%09b%20c%20`);
    assert.equal(answer.text, `{"${region}":[{"k":"a"},{"k":"b c"}]}`);
  });

  it('answers 400 for bad percent-encoding and for bytes that are not UTF-8', async () => {
    const region = await service().region();
    for (const piece of ['%', '%4', '%zz', '%C3', '%FF', '%ED%A0%80', '%C0%80', 'a,%']) {
      const answer = await service().get(`/${region}/${piece}`);
      assert.equal(answer.status, 400, piece);
      assert.equal(Object(json(answer)).code, 'request/bad-encoding');
    }
    assert.equal((await service().get(`/${region}?keys=%`)).status, 400);
    assert.equal((await service().get('/%FF/a')).status, 400);
    assert.equal((await service().get(`/${region}?%FF=1&limit=2`)).status, 400);
  });

  it('addresses every possible key by ?keys=, for GET, PUT and DELETE', async () => {
    const region = await service().region();
    for (const key of [
      'keys',
      'a/b',
      'x,y',
      ' blank ',
      '+',
      '&',
      '=',
      '.',
      '..',
      '\u{1F600}',
      '\r\n',
    ]) {
      const query = `?keys=${encodeURIComponent(key)}`;
      const put = await service().send('PUT', `/${region}${query}`, { body: '{"v":1}' });
      assert.equal(put.status, 200, key);
      assert.deepEqual(await service().stored(region), { [key]: '{"v":1}' });
      const read = await service().get(`/${region}${query}`);
      assert.equal(read.text, `{"${region}":[{"v":1}]}`);
      const removed = await service().send('DELETE', `/${region}${query}`);
      assert.equal(removed.status, 200);
      assert.deepEqual(await service().stored(region), {});
    }
  });

  it('accepts ?keys= repeatedly, together with ignoreMissingKey', async () => {
    const region = await service().region({ a: '{"k":"a"}', b: '{"k":"b"}', 'c,d': '{"k":"cd"}' });
    const answer = await service().get(`/${region}?keys=b,a&keys=c%2Cd`);
    assert.equal(answer.text, `{"${region}":[{"k":"b"},{"k":"a"},{"k":"cd"}]}`);
    const missing = await service().get(`/${region}?keys=zz&keys=a&keys=yy`);
    assert.equal(missing.status, 400);
    assert.equal(missing.text, `"Requested keys (zz,yy) do not exist in region (${region})"`);
    const ignored = await service().get(`/${region}?keys=zz&keys=a&ignoreMissingKey=true`);
    assert.equal(ignored.text, `{"${region}":[null,{"k":"a"}]}`);
  });

  it('returns a Location that leads to the entry, for any key', async () => {
    const region = await service().region();
    for (const key of [
      'a b',
      'keys',
      '.',
      '..',
      ' x',
      'x\u00a0',
      'a/b',
      'x,y',
      '\r\n1',
      'é',
      '?',
      '#',
    ]) {
      const path = `/${region}?key=${encodeURIComponent(key)}`;
      const posted = await service().send('POST', path, { body: '{"v":1}' });
      assert.equal(posted.status, 201, key);
      const location = posted.headers['location'] ?? '';
      assert.ok(location.startsWith(service().origin));
      const read = await service().sendTo('GET', location.slice(service().origin.length));
      assert.equal(read.text, `{"${region}":[{"v":1}]}`, location);
      assert.equal(read.headers['content-location'], location);
    }
  });

  it('reads a region by any spelling of its name', async () => {
    const region = await service().region({ a: '{}' });
    assert.equal((await service().get(`/${region.replace('r', '%72')}/a`)).status, 200);
  });
});

onEveryEngine('Decisions 2: content negotiation', (service) => {
  it('serves JSON to every Accept that admits it, and to none', async () => {
    const region = await service().region({ a: '{}' });
    const served = [
      'application/json',
      '*/*',
      'application/*',
      'text/html, application/json;q=0.1',
      'APPLICATION/JSON',
      'text/html,*/*;q=0.8',
      'application/json; charset=utf-8',
    ];
    for (const accept of served) {
      const answer = await service().get(`/${region}/a`, { Accept: accept });
      assert.equal(answer.status, 200, accept);
      assert.equal(answer.headers['content-type'], 'application/json');
    }
    assert.equal((await service().get(`/${region}/a`)).status, 200);
  });

  it('answers 406 to a list that excludes every type offered', async () => {
    const region = await service().region({ a: '{}' });
    for (const accept of [
      'text/html',
      'application/xml, text/*',
      '*/*, application/json;q=0',
      '',
    ]) {
      const answer = await service().get(`/${region}/a`, { Accept: accept });
      if (accept === '') assert.equal(answer.status, 200);
      else {
        assert.equal(answer.status, 406, accept);
        assert.equal(answer.headers['content-type'], 'application/json');
        assert.equal(Object(json(answer)).code, 'request/not-acceptable');
      }
    }
  });

  it('prints compactly unless pretty=true is given', async () => {
    const region = await service().region({ a: '{"n":20.0,"l":[],"o":{},"s":"a{\\"[,:"}' });
    const expected =
      `{\n  "${region}": [\n    {\n      "n": 20.0,\n      "l": [],\n      "o": {},\n` +
      '      "s": "a{\\"[,:"\n    }\n  ]\n}\n';
    for (const path of [
      `/${region}/a`,
      `/${region}`,
      `/${region}?limit=ALL`,
      `/${region}?limit=500`,
    ]) {
      const separator = path.includes('?') ? '&' : '?';
      const answer = await service().get(`${path}${separator}pretty=true`);
      assert.equal(answer.text, expected);
      const compact = await service().get(`${path}${separator}pretty=false`);
      assert.equal(compact.text, `{"${region}":[{"n":20.0,"l":[],"o":{},"s":"a{\\"[,:"}]}`);
    }
  });

  it('prints errors and the list of servers prettily too', async () => {
    const answer = await service().get('/nowhere?pretty=true');
    assert.match(answer.text, /^\{\n {2}"cause": "Region \(nowhere\) does not exist",\n/);
    assert.match((await service().get('/servers?pretty=true')).text, /^\[\n {2}"http:/);
    const problem = { Accept: 'application/json, application/problem+json' };
    assert.match((await service().get('/nowhere?pretty=true', problem)).text, /^\{\n {2}"type"/);
  });

  it('accepts 1 and 0 for pretty', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const pretty = await service().get(`/${region}/a?pretty=1`);
    assert.match(pretty.text, /^\{\n {2}"/);
    assert.equal((await service().get(`/${region}/a?pretty=0`)).text, `{"${region}":[{"n":1}]}`);
  });

  it('refuses any other value of pretty before anything is done', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const write = await service().send('PUT', `/${region}/a?pretty=yes`, { body: '{"n":2}' });
    assert.equal(write.status, 400);
    assert.deepEqual(await service().stored(region), { a: '{"n":1}' });
    assert.equal((await service().get(`/${region}?limit=ALL&pretty=`)).status, 400);
    assert.equal(service().engine.stats().openSnapshots, 0);
  });
});

onEveryEngine('Decisions 2: conditional reads', (service) => {
  const tagOf = (answer: Answer): string => answer.headers['etag'] ?? '';

  it('returns a strong ETag that changes with each write, also of the same value', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const first = tagOf(await service().get(`/${region}/a`));
    assert.match(first, /^"\d+"$/);
    assert.equal(tagOf(await service().get(`/${region}/a`)), first);
    const put = await service().send('PUT', `/${region}/a`, { body: '{"n":1}' });
    const second = tagOf(await service().get(`/${region}/a`));
    assert.notEqual(second, first);
    assert.equal(tagOf(put), second);
  });

  it('answers 304 without a body when If-None-Match has the tag', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const tag = tagOf(await service().get(`/${region}/a`));
    for (const header of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const answer = await service().get(`/${region}/a`, { 'If-None-Match': header });
      assert.equal(answer.status, 304, header);
      assert.equal(answer.text, '');
      assert.equal(tagOf(answer), tag);
      assert.equal(answer.headers['content-length'], undefined);
    }
    for (const header of ['"x"', tag.slice(1, -1), '']) {
      const answer = await service().get(`/${region}/a`, { 'If-None-Match': header });
      assert.equal(answer.status, 200, header);
    }
  });

  it('computes the ETag of several keys from all of them', async () => {
    const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
    const region = await service().region(Object.fromEntries(keys.map((key) => [key, '{}'])));
    for (const list of [keys.slice(0, 3), keys]) {
      const path = `/${region}/${list.join(',')}`;
      const before = tagOf(await service().get(path));
      assert.match(before, /^"[\w.-]+"$/);
      const unchanged = await service().get(path, { 'If-None-Match': before });
      assert.equal(unchanged.status, 304);
      for (const key of list) {
        const old = tagOf(await service().get(path));
        await service().send('PUT', `/${region}/${key}`, { body: '{}' });
        assert.notEqual(tagOf(await service().get(path)), old);
      }
    }
  });

  it('distinguishes an absent key from every version it had', async () => {
    const region = await service().region({ a: '{}' });
    const path = `/${region}/a?ignoreMissingKey=true`;
    const first = tagOf(await service().get(path));
    await service().send('DELETE', `/${region}/a`);
    const absent = tagOf(await service().get(path));
    await service().send('PUT', `/${region}/a`, { body: '{}' });
    const again = tagOf(await service().get(path));
    assert.equal(new Set([first, absent, again]).size, 3);
  });

  describe('on HEAD', () => {
    it('returns the same headers as GET, and no body', async () => {
      const region = await service().region({ a: '{"n":1}' });
      const get = await service().get(`/${region}/a`);
      const head = await service().send('HEAD', `/${region}/a`);
      assert.equal(head.status, 200);
      assert.equal(head.text, '');
      for (const name of ['etag', 'content-type', 'content-length', 'content-location']) {
        assert.equal(head.headers[name], get.headers[name], name);
      }
    });

    it('is logged with no bytes sent', async () => {
      const region = await service().region({ a: '{"n":1}' });
      for (const path of [`/${region}/a`, `/${region}/absent`, '/queries']) {
        const before = service().observations.length;
        await service().send('HEAD', path);
        const finished = service()
          .observations.slice(before)
          .flatMap((observation) =>
            observation.kind === 'request-finished' ? [observation.bytes] : [],
          );
        assert.deepEqual(finished, [0], path);
      }
    });
  });
});
