// Decisions 3: creating, changing and removing entries.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, json } from '../http-client.ts';
import { onEveryEngine, type Service } from '../service.ts';

function cause(answer: Answer): string {
  return Object(json(answer)).cause;
}

function code(answer: Answer): string {
  return Object(json(answer)).code;
}

onEveryEngine('Decisions 3: POST', (service) => {
  it('creates the entry with 201, an empty body, its Location and its ETag', async () => {
    const region = await service().region();
    const answer = await service().send('POST', `/${region}?key=a%2Fb`, { body: ' {"n" : 1} ' });
    assert.equal(answer.status, 201);
    assert.equal(answer.text, '');
    assert.equal(answer.headers['location'], `${service().api}/${region}/a%2Fb`);
    assert.match(answer.headers['etag'] ?? '', /^"\d+"$/);
    assert.deepEqual(await service().stored(region), { 'a/b': '{"n":1}' });
  });

  it('generates a new key when none is given', async () => {
    const region = await service().region();
    const first = await service().send('POST', `/${region}`, { body: '{"n":1}' });
    const second = await service().send('POST', `/${region}`, { body: '{"n":2}' });
    assert.equal(first.status, 201);
    assert.equal(second.status, 201);
    assert.notEqual(first.headers['location'], second.headers['location']);
    assert.deepEqual(Object.values(await service().stored(region)).sort(), ['{"n":1}', '{"n":2}']);
  });

  it('answers 409 with the existing value when the key exists', async () => {
    const region = await service().region({ a: '{"n":20.0}' });
    const answer = await service().send('POST', `/${region}?key=a`, { body: '{}' });
    assert.equal(answer.status, 409);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.text, '{"n":20.0}');
    assert.deepEqual(await service().stored(region), { a: '{"n":20.0}' });
  });

  it('refuses an empty key and a key given twice', async () => {
    const region = await service().region();
    for (const query of ['?key=', '?key', '?key=a&key=b']) {
      const answer = await service().send('POST', `/${region}${query}`, { body: '{}' });
      assert.equal(answer.status, 400, query);
    }
    assert.deepEqual(await service().stored(region), {});
  });

  it('answers 404 when the region does not exist', async () => {
    const answer = await service().send('POST', '/nowhere?key=a', { body: '{}' });
    assert.equal(answer.status, 404);
  });
});

onEveryEngine('Decisions 3: PUT', (service) => {
  it('creates or overwrites, with 200 and an empty body', async () => {
    const region = await service().region();
    for (const query of ['', '?op=PUT', '?op=put']) {
      for (const n of [1, 2]) {
        const body = `{"q":"${query}","n":${n}}`;
        const answer = await service().send('PUT', `/${region}/a${query}`, { body });
        assert.equal(answer.status, 200);
        assert.equal(answer.text, '');
        assert.equal(answer.headers['location'], `${service().api}/${region}/a`);
        assert.deepEqual(await service().stored(region), { a: body });
      }
    }
  });

  it('writes several keys from an array of as many values', async () => {
    const region = await service().region({ b: '{"old":1}' });
    const answer = await service().send('PUT', `/${region}/a,b`, {
      body: '[ {"n":1}, [{"n":2}] ]',
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(await service().stored(region), { a: '{"n":1}', b: '[{"n":2}]' });
  });

  it('answers 400 and writes nothing when the array has another length, or is not an array', async () => {
    const region = await service().region({ a: '{"n":1}' });
    for (const body of ['[{}]', '[{},{},{}]', '[]', '{}', '"a"', '[{},1]', '[null,{}]']) {
      const answer = await service().send('PUT', `/${region}/a,b`, { body });
      assert.equal(answer.status, 400, body);
    }
    assert.deepEqual(await service().stored(region), { a: '{"n":1}' });
  });

  it('answers 400 when one write names a key twice', async () => {
    const region = await service().region();
    const answer = await service().send('PUT', `/${region}/a,a`, { body: '[{"n":1},{"n":2}]' });
    assert.equal(answer.status, 400);
    assert.equal(cause(answer), 'Key (a) is named twice in one write');
    assert.deepEqual(await service().stored(region), {});
  });

  it('needs keys in the path or in ?keys=', async () => {
    const region = await service().region();
    const answer = await service().send('PUT', `/${region}`, { body: '{}' });
    assert.equal(answer.status, 400);
    assert.equal(cause(answer), 'The path or ?keys= must name the keys to write');
  });

  it('creates with op=CREATE and 201, or answers 409 and writes nothing when any exists', async () => {
    const region = await service().region({ b: '{"n":2}' });
    const created = await service().send('PUT', `/${region}/a?op=CREATE`, { body: '{"n":1}' });
    assert.equal(created.status, 201);
    assert.equal(created.text, '');
    assert.equal(created.headers['location'], `${service().api}/${region}/a`);
    const again = await service().send('PUT', `/${region}/a?op=create`, { body: '{"n":9}' });
    assert.equal(again.status, 409);
    assert.equal(cause(again), `Keys (a) already exist in region (${region})`);
    const body = '[{},{},{}]';
    const mixed = await service().send('PUT', `/${region}/c,b,a?op=CREATE`, { body });
    assert.equal(mixed.status, 409);
    assert.equal(cause(mixed), `Keys (b,a) already exist in region (${region})`);
    assert.equal(code(mixed), 'grid/keys-exist');
    assert.deepEqual(await service().stored(region), { a: '{"n":1}', b: '{"n":2}' });
  });
});

onEveryEngine('Decisions 3: compare and set', (service) => {
  const cas = (region: string, key: string, old: string, value: string): Promise<Answer> =>
    service().send('PUT', `/${region}/${key}?op=CAS`, { body: `{"@old":${old},"@new":${value}}` });

  it('writes @new when the value equals @old', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const answer = await cas(region, 'a', '{"n":1}', '{"n":2.0}');
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.deepEqual(await service().stored(region), { a: '{"n":2.0}' });
  });

  it('compares by JSON value: member order is ignored, 10 equals 10.0', async () => {
    const region = await service().region({
      a: '{"n":10,"l":[1,{"x":null,"y":true}],"s":"\\u0041"}',
    });
    const same = '{"s":"A","l":[1.0,{"y":true,"x":null}],"n":10.0}';
    assert.equal((await cas(region, 'a', same, '{"done":1}')).status, 200);
    assert.deepEqual(await service().stored(region), { a: '{"done":1}' });
  });

  it('answers 409 with the current value when it differs', async () => {
    const region = await service().region({ a: '{"n":9007199254740993}' });
    for (const old of [
      '{"n":9007199254740992}',
      '{}',
      '{"n":"9007199254740993"}',
      '{"n":9007199254740993,"m":1}',
    ]) {
      const answer = await cas(region, 'a', old, '{}');
      assert.equal(answer.status, 409, old);
      assert.equal(answer.text, '{"n":9007199254740993}');
    }
    assert.deepEqual(await service().stored(region), { a: '{"n":9007199254740993}' });
  });

  it('answers 404 when the key is absent', async () => {
    const region = await service().region();
    const answer = await cas(region, 'a', '{}', '{}');
    assert.equal(answer.status, 404);
    assert.equal(cause(answer), `Keys (a) do not exist in region (${region})`);
  });

  it('answers 400 without both members, or with more than one key', async () => {
    const region = await service().region({ a: '{}', b: '{}' });
    for (const body of ['{"@old":{}}', '{"@new":{}}', '{}', '[]', '[{},{}]', '1']) {
      const answer = await service().send('PUT', `/${region}/a?op=CAS`, { body });
      assert.equal(answer.status, 400, body);
      assert.equal(code(answer), 'request/bad-body');
    }
    const two = await service().send('PUT', `/${region}/a,b?op=CAS`, {
      body: '{"@old":{},"@new":{}}',
    });
    assert.equal(two.status, 400);
    assert.equal(cause(two), 'CAS takes exactly one key');
  });

  it('accepts only an object as @new', async () => {
    const region = await service().region({ a: '{}' });
    for (const value of ['[{}]', '1', 'null']) {
      assert.equal((await cas(region, 'a', '{}', value)).status, 400, value);
    }
    assert.deepEqual(await service().stored(region), { a: '{}' });
  });

  it('lets exactly one of many concurrent writers win', async () => {
    const region = await service().region({ a: '{"n":0}' });
    const increment = async (): Promise<void> => {
      let current = '{"n":0}';
      for (;;) {
        const next = `{"n":${Number(/\d+/.exec(current)?.[0]) + 1}}`;
        const answer = await cas(region, 'a', current, next);
        if (answer.status === 200) return;
        assert.equal(answer.status, 409);
        current = answer.text;
      }
    };
    await Promise.all(Array.from({ length: 20 }, increment));
    assert.deepEqual(await service().stored(region), { a: '{"n":20}' });
  });
});

onEveryEngine('Decisions 3: DELETE', (service) => {
  it('removes all named keys with 200 and an empty body', async () => {
    const region = await service().region({ a: '{}', b: '{}', c: '{}' });
    const answer = await service().send('DELETE', `/${region}/c,a`);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.deepEqual(await service().stored(region), { b: '{}' });
  });

  it('treats a repeated key as one key', async () => {
    const region = await service().region({ a: '{}', b: '{}' });
    assert.equal((await service().send('DELETE', `/${region}/a,a`)).status, 200);
    assert.deepEqual(await service().stored(region), { b: '{}' });
  });

  it('answers 404 naming the absent keys, and deletes nothing', async () => {
    const region = await service().region({ a: '{}', b: '{}' });
    const answer = await service().send('DELETE', `/${region}/z,a,y`);
    assert.equal(answer.status, 404);
    assert.equal(cause(answer), `Keys (z,y) do not exist in region (${region})`);
    assert.deepEqual(await service().stored(region), { a: '{}', b: '{}' });
    assert.equal((await service().send('DELETE', '/nowhere/a')).status, 404);
  });

  it('clears a region that is named without keys; the region stays', async () => {
    const region = await service().region({ a: '{}', b: '{}' });
    const answer = await service().send('DELETE', `/${region}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.equal((await service().get(`/${region}`)).text, `{"${region}":[]}`);
    assert.equal((await service().send('DELETE', '/nowhere')).status, 404);
  });

  it('never clears a region because ?keys= is empty', async () => {
    const region = await service().region({ a: '{}' });
    for (const query of ['?keys=', '?keys', '?%6Beys=', '?keys=,']) {
      assert.equal((await service().send('DELETE', `/${region}${query}`)).status, 400, query);
    }
    assert.deepEqual(await service().stored(region), { a: '{}' });
  });
});

onEveryEngine('Decisions 3: preconditions', (service) => {
  async function tag(region: string, key: string): Promise<string> {
    return (await service().get(`/${region}/${key}`)).headers['etag'] ?? '';
  }

  /** Every kind of write to one key, as a function of its headers. */
  const writes = (region: string, key: string) =>
    ['', '?op=REPLACE', '?op=CREATE', '?op=CAS'].map(
      (query) =>
        (headers: Record<string, string>): Promise<Answer> => {
          const body = query === '?op=CAS' ? '{"@old":{"n":1},"@new":{"n":2}}' : '{"n":2}';
          return service().send('PUT', `/${region}/${key}${query}`, { headers, body });
        },
    );

  it('answers 412 and writes nothing when If-Match has another version', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const stale = await tag(region, 'a');
    await service().put(region, { a: '{"n":1}' });
    const fresh = await tag(region, 'a');
    for (const header of [stale, '"0"', '"x"', `W/${fresh}`, fresh.replace('"', '"0')]) {
      for (const write of writes(region, 'a')) {
        const answer = await write({ 'If-Match': header });
        assert.equal(answer.status, 412, header);
        assert.equal(code(answer), 'grid/precondition-failed');
      }
      const removed = await service().send('DELETE', `/${region}/a`, {
        headers: { 'If-Match': header },
      });
      assert.equal(removed.status, 412);
    }
    assert.deepEqual(await service().stored(region), { a: '{"n":1}' });
  });

  it('writes when If-Match has the version, in a list or as *', async () => {
    const region = await service().region({ a: '{"n":1}' });
    for (const header of [await tag(region, 'a'), `"0", ${await tag(region, 'a')}`, '*']) {
      await service().send('DELETE', `/${region}`);
      await service().put(region, { a: '{"n":1}' });
      const fresh = header === '*' ? '*' : header.replace(/"[1-9]\d*"/, await tag(region, 'a'));
      for (const [i, write] of writes(region, 'a').entries()) {
        await service().put(region, { a: '{"n":1}' });
        const headers = { 'If-Match': fresh === '*' ? '*' : await tag(region, 'a') };
        assert.equal((await write(headers)).status, i === 2 ? 409 : 200);
      }
    }
    const headers = { 'If-Match': await tag(region, 'a') };
    assert.equal((await service().send('DELETE', `/${region}/a`, { headers })).status, 200);
  });

  it('answers 412 to If-Match: * when the key is absent', async () => {
    const region = await service().region();
    for (const write of writes(region, 'a')) {
      assert.equal((await write({ 'If-Match': '*' })).status, 412);
    }
    const headers = { 'If-Match': '*' };
    assert.equal((await service().send('DELETE', `/${region}/a`, { headers })).status, 412);
    assert.equal(
      (await service().send('POST', `/${region}?key=a`, { headers, body: '{}' })).status,
      412,
    );
    assert.deepEqual(await service().stored(region), {});
  });

  it('writes with If-None-Match: * only where there is no entry', async () => {
    const region = await service().region();
    const headers = { 'If-None-Match': '*' };
    const first = await service().send('PUT', `/${region}/a`, { headers, body: '{"n":1}' });
    assert.equal(first.status, 200);
    for (const write of writes(region, 'a')) assert.equal((await write(headers)).status, 412);
    const post = await service().send('POST', `/${region}?key=a`, { headers, body: '{}' });
    assert.equal(post.status, 412);
    assert.deepEqual(await service().stored(region), { a: '{"n":1}' });
  });

  it('answers 412 when If-None-Match has the current version', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const current = { 'If-None-Match': await tag(region, 'a') };
    const refused = await service().send('PUT', `/${region}/a`, { headers: current, body: '{}' });
    assert.equal(refused.status, 412);
    const headers = { 'If-None-Match': '"0"' };
    assert.equal(
      (await service().send('PUT', `/${region}/a`, { headers, body: '{}' })).status,
      200,
    );
  });

  it('answers 400 to a precondition on several keys or on a whole region', async () => {
    const region = await service().region({ a: '{}', b: '{}' });
    for (const headers of [{ 'If-Match': '*' }, { 'If-None-Match': '*' }]) {
      const put = await service().send('PUT', `/${region}/a,b`, { headers, body: '[{},{}]' });
      assert.equal(put.status, 400);
      assert.equal(code(put), 'request/bad-precondition');
      assert.equal((await service().send('DELETE', `/${region}/a,b`, { headers })).status, 400);
      assert.equal((await service().send('DELETE', `/${region}`, { headers })).status, 400);
    }
    assert.deepEqual(await service().stored(region), { a: '{}', b: '{}' });
  });

  it('lets exactly one of many writers with the same version win', async () => {
    const region = await service().region({ a: '{}' });
    const headers = { 'If-Match': await tag(region, 'a') };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        service().send('PUT', `/${region}/a`, { headers, body: `{"by":${i}}` }),
      ),
    );
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, ...Array(19).fill(412)]);
  });
});

onEveryEngine('Decisions 3: values', (service) => {
  const put = (region: string, body: string | Uint8Array, type?: string): Promise<Answer> =>
    service().send('PUT', `/${region}/a`, {
      body,
      ...(type === undefined ? {} : { headers: { 'Content-Type': type } }),
    });

  it('reads back byte for byte what was sent, white space outside strings aside', async () => {
    const region = await service().region();
    const sacred = [
      '{"n":20.0,"m":20.00,"e":1E5,"z":-0,"f":-0.0,"p":1e+2}',
      '{"id":9223372036854775807,"big":123456789012345678901234567890.0001}',
      '{"z":1,"a":2,"10":3,"9":4}',
      '{"__proto__":{"polluted":true},"constructor":1,"toString":null}',
      '{"s":"\\u00e9\\/\\ud83d\\ude00 é😀 \u2028\u2029 \\u0000"}',
      '{"":{"":[]}}',
      '{}',
      '[{"a":1},{"b":[{}]}]',
      '[]',
    ];
    for (const body of sacred) {
      assert.equal((await put(region, body)).status, 200, body);
      assert.equal((await service().get(`/${region}/a`)).text, `{"${region}":[${body}]}`);
      assert.equal((await service().get(`/${region}?limit=ALL`)).text, `{"${region}":[${body}]}`);
    }
    const spaced = '\r\n\t { "a" :\n[ 1 , 2 ] , "s":" x  y\\t" } \n';
    await put(region, spaced);
    assert.deepEqual(await service().stored(region), { a: '{"a":[1,2],"s":" x  y\\t"}' });
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  });

  it('answers 400 to a value that is neither an object nor an array of objects', async () => {
    const region = await service().region();
    for (const body of ['1', '"a"', 'true', 'null', '[1]', '[{},null]', '[[{}]]']) {
      const answer = await put(region, body);
      assert.equal(answer.status, 400, body);
      assert.equal(code(answer), 'grid/bad-value');
    }
    assert.deepEqual(await service().stored(region), {});
  });

  it('answers 400 with the position to anything that is not JSON', async () => {
    const region = await service().region();
    const bad: readonly (readonly [string, number, string])[] = [
      ['{', 1, 'Expected a member name in quotes'],
      ['{"a":1,}', 7, 'Expected a member name in quotes'],
      ['{"a" 1}', 5, "Expected ':'"],
      ['{"a":01}', 6, "Expected ',' or '}'"],
      ['{"a":1.}', 7, 'Bad number'],
      ['{"a":+1}', 5, 'Expected a value'],
      ['{"a":NaN}', 5, 'Expected a value'],
      ["{'a':1}", 1, 'Expected a member name in quotes'],
      ['{"a":1} x', 8, 'Unexpected text after the JSON value'],
      ['{"a":1}{', 7, 'Unexpected text after the JSON value'],
      ['{"a":"x\n"}', 7, 'Control character in a string'],
      ['{"a":"x', 7, 'Unterminated string'],
      ['{"a":"\\x"}', 6, 'Bad escape'],
      ['{"a":"\\u12g4"}', 6, 'Bad \\u escape'],
      ['{"a":"\\ud800"}', 6, 'Lone surrogate'],
      ['{"a":"\\udc00\\ud800"}', 6, 'Lone surrogate'],
      ['{"a":"\\ud800\\u0041"}', 6, 'Lone surrogate'],
      ['{"a":1,"b":2,"a":3}', 13, 'Duplicate member name "a"'],
      ['{"a":1,"\\u0061":3}', 7, 'Duplicate member name "a"'],
      ['{"é":{"x":1,"x":2}}', 12, 'Duplicate member name "x"'],
      ['\uFEFF{}', 0, 'Expected a value'],
      ['   ', 3, 'Unexpected end of the text'],
      ['[{}', 3, "Expected ',' or ']'"],
      ['tru', 0, 'Expected a value'],
    ];
    for (const [body, offset, reason] of bad) {
      const answer = await put(region, body);
      assert.equal(answer.status, 400, body);
      const where = `line 1, column ${offset + 1}`;
      const text = `Malformed JSON at ${where}: ${reason}`;
      assert.deepEqual(json(answer), {
        cause: text,
        message: text,
        code: 'request/bad-json',
        position: { offset, line: 1, column: offset + 1 },
      });
    }
    const lines = await put(region, '{\r\n "é😀": 1,\n x}');
    assert.deepEqual(Object(json(lines)).position, { offset: 15, line: 3, column: 2 });
    assert.deepEqual(await service().stored(region), {});
  });

  it('answers 400 with the position to invalid UTF-8', async () => {
    const region = await service().region();
    const prefix = Buffer.from('{"é":"');
    const endings = [
      [0xff],
      [0xc3],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xc0, 0x80],
      [0x80],
    ];
    for (const bytes of endings) {
      for (const rest of ['"}', '', 'xxxxxxxx"}']) {
        const answer = await put(
          region,
          Buffer.concat([prefix, Buffer.from(bytes), Buffer.from(rest)]),
        );
        assert.equal(answer.status, 400);
        assert.equal(cause(answer), 'Malformed JSON at line 1, column 7: Not valid UTF-8');
        assert.deepEqual(Object(json(answer)).position, { offset: 6, line: 1, column: 7 });
      }
    }
  });

  it('answers 400 to a missing body', async () => {
    const region = await service().region();
    const path = `/${region}/a`;
    for (const answer of [await service().send('PUT', path), await put(region, '')]) {
      assert.equal(answer.status, 400);
      assert.equal(cause(answer), 'The request needs a JSON body');
    }
    assert.equal((await service().send('POST', `/${region}`)).status, 400);
  });

  it('accepts only application/json in UTF-8, else 415', async () => {
    const region = await service().region();
    const good = [
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'APPLICATION/JSON; Charset="utf-8"',
      'application/json;charset=utf8',
      'application/json;',
    ];
    for (const type of good) assert.equal((await put(region, '{}', type)).status, 200, type);
    const bad = [
      'text/plain',
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'text/json',
      '',
      'application/xml, application/json',
    ];
    for (const type of bad) {
      const answer = await put(region, '{"bad":1}', type);
      assert.equal(answer.status, 415, type);
      assert.equal(code(answer), 'request/unsupported-media-type');
    }
    assert.deepEqual(await service().stored(region), { a: '{}' });
  });

  it('answers 415 to a body in an unknown coding', async () => {
    const region = await service().region();
    const headers = { 'Content-Encoding': 'compress' };
    const answer = await service().send('PUT', `/${region}/a`, { headers, body: '{}' });
    assert.equal(answer.status, 415);
    assert.match(cause(answer), /^Content-Encoding \(compress\) must be gzip or zstd/);
    const identity = { 'Content-Encoding': 'identity' };
    const plain = await service().send('PUT', `/${region}/a`, { headers: identity, body: '{}' });
    assert.equal(plain.status, 200);
  });
});

onEveryEngine('Decisions 3: constraints and EMPTY regions', (service) => {
  async function statuses(
    service: Service,
    region: string,
    keys: readonly string[],
  ): Promise<number[]> {
    const answers: number[] = [];
    for (const key of keys) {
      const path = `/${region}?keys=${encodeURIComponent(key)}`;
      answers.push((await service.send('PUT', path, { body: '{}' })).status);
    }
    return answers;
  }

  it('accepts only integers of the range as keys where the key constraint says so', async () => {
    for (const name of ['java.lang.Integer', 'Integer']) {
      const region = await service().region({}, { keyConstraint: name });
      const good = ['0', '7', '-7', '2147483647', '-2147483648'];
      assert.deepEqual(
        await statuses(service(), region, good),
        good.map(() => 200),
      );
      const bad = ['2147483648', '-2147483649', '1.0', '1e3', 'x', '007', '+7', '-0', ' 7', '٧'];
      assert.deepEqual(
        await statuses(service(), region, bad),
        bad.map(() => 400),
      );
      const answer = await service().send('PUT', `/${region}/x`, { body: '{}' });
      assert.equal(cause(answer), `Key (x) is not of type ${name}, as region (${region}) requires`);
    }
    for (const name of ['java.lang.Long', 'Long']) {
      const region = await service().region({}, { keyConstraint: name });
      const good = ['9223372036854775807', '-9223372036854775808'];
      assert.deepEqual(await statuses(service(), region, good), [200, 200]);
      const bad = ['9223372036854775808', '-9223372036854775809', '99999999999999999999'];
      assert.deepEqual(await statuses(service(), region, bad), [400, 400, 400]);
    }
    for (const name of ['java.lang.String', 'String']) {
      const region = await service().region({}, { keyConstraint: name });
      assert.deepEqual(await statuses(service(), region, ['x', '1']), [200, 200]);
    }
  });

  it('refuses an object whose @type differs from the value constraint', async () => {
    const region = await service().region({}, { valueConstraint: 'org.shop.Item' });
    const put = (body: string): Promise<Answer> => service().send('PUT', `/${region}/a`, { body });
    for (const body of [
      '{"@type":"org.shop.Order"}',
      '{"\\u0040type":"other"}',
      '{"n":1,"@type":null}',
      '{"@type":1}',
      '[{"@type":"org.shop.Item"},{"@type":"x"}]',
    ]) {
      const answer = await put(body);
      assert.equal(answer.status, 400, body);
      assert.equal(code(answer), 'grid/bad-value');
      assert.match(cause(answer), /is not org\.shop\.Item, as region \(region-\d+\) requires$/);
    }
    for (const body of [
      '{"@type":"org.shop.Item"}',
      '{"@type":"org\\u002eshop.Item"}',
      '{"n":1}',
      '{"inner":{"@type":"x"}}',
      '{"s":"\\"@type\\""}',
      '[{},{"@type":"org.shop.Item"}]',
    ]) {
      assert.equal((await put(body)).status, 200, body);
    }
  });

  it('stores nothing in an EMPTY region, but accepts writes and reports them', async () => {
    const region = await service().region({}, { type: 'EMPTY' });
    const reported: string[] = [];
    const stop = service().engine.subscribe({
      onCommit: ({ changes }) => {
        for (const change of changes) if (change.kind === 'put') reported.push(change.key);
      },
      onReset: () => assert.fail('nothing is missed'),
    });
    const put = await service().send('PUT', `/${region}/a`, { body: '{}' });
    assert.equal(put.status, 200);
    assert.equal(put.headers['etag'], undefined);
    assert.equal((await service().send('PUT', `/${region}/b,c`, { body: '[{},{}]' })).status, 200);
    assert.equal((await service().send('POST', `/${region}?key=d`, { body: '{}' })).status, 201);
    stop();
    assert.deepEqual(reported, ['a', 'b', 'c', 'd']);
    assert.equal((await service().send('HEAD', `/${region}`)).headers['resource-count'], '0');
    assert.equal((await service().get(`/${region}`)).text, `{"${region}":[]}`);
    assert.equal((await service().get(`/${region}/keys`)).text, '{"keys":[]}');
    const read = await service().get(`/${region}/a`);
    assert.equal(read.status, 400);
    assert.equal(read.text, `"Requested keys (a) do not exist in region (${region})"`);
  });

  it('answers 500 "operation not supported" to REPLACE, CAS and CREATE on an EMPTY region', async () => {
    const region = await service().region({}, { type: 'EMPTY' });
    for (const op of ['REPLACE', 'CREATE', 'CAS']) {
      const body = op === 'CAS' ? '{"@old":{},"@new":{}}' : '{}';
      const answer = await service().send('PUT', `/${region}/a?op=${op}`, { body });
      assert.equal(answer.status, 500);
      assert.equal(
        cause(answer),
        `Operation not supported: ${op} on region (${region}) of type EMPTY`,
      );
    }
  });

  it('fails create and replace of a bulk load on an EMPTY region', async () => {
    const region = await service().region({}, { type: 'EMPTY' });
    const items = ['put', 'create', 'replace'].map((op) => ({ op, key: 'a', value: {} }));
    const load = (parameters = '') =>
      service().send('POST', `/${region}/_bulk${parameters}`, { body: JSON.stringify(items) });
    const answer = await load();
    assert.equal(answer.status, 207);
    const { failures, succeeded } = Object(json(answer));
    assert.equal(succeeded, 1);
    const code = 'grid/operation-not-supported';
    assert.partialDeepStrictEqual(failures, [
      { index: 1, status: 409, code },
      { index: 2, status: 409, code },
    ]);
    const atomic = await load('?atomic=true');
    assert.equal(atomic.status, 409);
    const { index, message } = Object(json(atomic));
    assert.equal(index, 1);
    assert.match(message, /^Item 1: Operation not supported: create on region/);
  });
});
