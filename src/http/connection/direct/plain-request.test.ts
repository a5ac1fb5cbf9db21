import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { KnownFields, type PlainRequest, parsePlainRequest } from './plain-request.ts';

const socket = new Socket();
const knownFields = new KnownFields();

function parse(text: string, before?: PlainRequest): PlainRequest | undefined {
  const bytes = Buffer.from(text, 'latin1');
  return parsePlainRequest({ bytes, socket, lastFields: before?.fields, knownFields });
}

function get(...lines: readonly string[]): string {
  return ['GET /a HTTP/1.1', ...lines, '', ''].join('\r\n');
}

describe('parsePlainRequest', () => {
  it('reads what the usual clients send', () => {
    const curl = get('Host: h:1', 'User-Agent: curl/8.5.0', 'Accept: */*');
    const fetch = get(
      'host: h:1',
      'connection: keep-alive',
      'accept: */*',
      'accept-language: *',
      'sec-fetch-mode: cors',
      'user-agent: node',
      'accept-encoding: gzip, deflate',
    );
    for (const text of [curl, fetch]) {
      const request = parse(text);
      assert.equal(request?.method, 'GET');
      assert.equal(request?.url, '/a');
      assert.equal(request?.headers.host, 'h:1');
      assert.equal(request?.end, text.length);
      assert.equal(request?.body.length, 0);
    }
  });

  it('returns names in lower case and as sent, and values without surrounding blanks', () => {
    const request = parse(get('HOST:h', 'X-A: \t a  b\t ', 'X-Empty:'));
    assert.deepEqual({ ...request?.headers }, { host: 'h', 'x-a': 'a  b', 'x-empty': '' });
    assert.deepEqual(request?.rawHeaders, ['HOST', 'h', 'X-A', 'a  b', 'X-Empty', '']);
  });

  it('parses recently seen fields once, on any connection', () => {
    const text = get('Host: h', 'X-Again: 1');
    const first = parse(text)?.fields;
    parse(get('Host: h', 'X-Other: 1'));
    assert.equal(parse(text)?.fields, first);
    for (let i = 0; i < 300; i++) parse(get('Host: h', `X-Other: ${i}`));
    assert.notEqual(parse(text)?.fields, first);
    assert.deepEqual(parse(text)?.fields, first);
  });

  it('takes a body that has arrived, and returns where the next request begins', () => {
    const head = 'PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n';
    const request = parse(`${head}{}\nGET`);
    assert.equal(request?.body.toString(), '{}\n');
    assert.equal(request?.end, head.length + 3);
    assert.equal(parse(`${head}{}`), undefined);
  });

  it('reads a head of any length', () => {
    for (const length of [1900, 1990, 2020, 2050, 5000]) {
      const text = get('Host: h', `X-Long: ${'a'.repeat(length)}`);
      const request = parse(`${text}rest`);
      assert.equal(request?.end, text.length);
      assert.equal(request?.headers['x-long']?.length, length);
    }
  });

  it('does not parse fields again that equal those of the request before', () => {
    const first = parse(get('Host: h', 'Accept: */*'));
    const second = parse(get('Host: h', 'Accept: */*'), first);
    const third = parse(get('Host: h', 'Accept: */ *'), first);
    assert.equal(second?.fields, first?.fields);
    assert.notEqual(third?.fields, first?.fields);
  });

  it('treats a header called __proto__ like any other', () => {
    const request = parse(get('Host: h', '__proto__: polluted'));
    assert.deepEqual(Object.keys(request?.headers ?? {}), ['host', '__proto__']);
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  });

  const NOT_PLAIN: readonly (readonly [name: string, text: string])[] = [
    ['a head that is not there as a whole', 'GET /a HTTP/1.1\r\nHost: h\r\n'],
    ['nothing', ''],
    ['an empty line before', `\r\n${get('Host: h')}`],
    ['another version', get('Host: h').replace('1.1', '1.0')],
    ['another method', get('Host: h').replace('GET', 'PATCH')],
    ['a method in lower case', get('Host: h').replace('GET', 'get')],
    ['two blanks', get('Host: h').replace('GET ', 'GET  ')],
    ['an absolute target', get('Host: h').replace('/a', 'http://h/a')],
    ['a fragment', get('Host: h').replace('/a', '/a#b')],
    ['a control character in the target', get('Host: h').replace('/a', '/\x01')],
    ['a byte above ASCII in the target', get('Host: h').replace('/a', '/\xe9')],
    ['a bare line feed', get('Host: h\nX: y')],
    ['a bare carriage return', get('Host: h\rX: y')],
    ['a folded line', get('Host: h', ' x')],
    ['a blank before a colon', get('Host : h')],
    ['a line without a colon', get('Host: h', 'x')],
    ['a line without a name', get('Host: h', ': x')],
    ['a NUL', get('Host: h', 'X: \0')],
    ['a byte above ASCII', get('Host: h', 'X: \xe9')],
    ['a name given twice', get('Host: h', 'host: h')],
    ['chunks', get('Host: h', 'Transfer-Encoding: chunked')],
    ['an expectation', get('Host: h', 'Expect: 100-continue')],
    ['an upgrade', get('Host: h', 'Upgrade: websocket')],
    ['the end of the connection', get('Host: h', 'Connection: close')],
    ['a list of options', get('Host: h', 'Connection: keep-alive, x')],
    ['a body of a GET', `${get('Host: h', 'Content-Length: 1')}x`],
    ['a signed length', `PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\nx`],
    ['two lengths in one', `PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\nx`],
  ];
  for (const [name, text] of NOT_PLAIN) {
    it(`leaves ${name} to Node`, () => assert.equal(parse(text), undefined));
  }
});
