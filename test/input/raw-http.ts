// I3, bytes on a socket that no HTTP client would send. Fixed cases have exact answers. After a refusal
// the connection is closed, and a smuggled request is never answered.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RawConnection, statusesIn } from '../http-client.ts';
import { API, Service } from '../service.ts';
import { checkGenerated, type Family, type Figures, replay, type Work } from './family.ts';

const AT_ONCE = 25;

/** A request that would be answered with 200, to be smuggled or to follow. */
const PING = `GET ${API}/ping HTTP/1.1\r\nHost: x\r\n\r\n`;
const LAST = `GET ${API}/ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
const JSON_PUT = `PUT ${API}/raw/k HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;

export interface RawCase {
  readonly name: string;
  readonly bytes: string;
  /** Statuses of all answers until the server closes the connection. */
  readonly answers: readonly number[];
}

function head(line: string, ...headers: readonly string[]): string {
  return [line, ...headers, '', ''].join('\r\n');
}

const GET = `GET ${API}/ping HTTP/1.1`;

export const FIXED: readonly RawCase[] = [
  // Host
  { name: 'no Host', bytes: head(GET), answers: [400] },
  {
    name: 'garbage after a request without Host',
    bytes: `${head(GET)}garbage\r\n\r\n`,
    answers: [400],
  },
  { name: 'two Hosts', bytes: head(GET, 'Host: a', 'Host: b') + PING, answers: [400] },
  { name: 'two equal Hosts', bytes: head(GET, 'Host: a', 'host: a') + PING, answers: [400] },
  { name: 'an empty Host', bytes: head(GET, 'Host:', 'Connection: close'), answers: [400] },
  {
    name: 'two Content-Types',
    bytes: `${JSON_PUT}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}${PING}`,
    answers: [400],
  },
  // Request line
  { name: 'HTTP/0.9', bytes: `GET ${API}/ping\r\n\r\n`, answers: [400] },
  { name: 'HTTP/1.0 without Host', bytes: head(`GET ${API}/ping HTTP/1.0`), answers: [400] },
  { name: 'HTTP/1.0', bytes: head(`GET ${API}/ping HTTP/1.0`, 'Host: x'), answers: [200] },
  { name: 'HTTP/2.0', bytes: head(`GET ${API}/ping HTTP/2.0`, 'Host: x') + PING, answers: [400] },
  { name: 'HTTP/1.2', bytes: head(`GET ${API}/ping HTTP/1.2`, 'Host: x') + PING, answers: [400] },
  { name: 'HTTP/9.9', bytes: head(`GET ${API}/ping HTTP/9.9`, 'Host: x') + PING, answers: [400] },
  { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', answers: [400] },
  { name: 'another protocol', bytes: head(`GET ${API}/ping FTP/1.1`, 'Host: x'), answers: [400] },
  {
    name: 'a lower-case protocol',
    bytes: head(`GET ${API}/ping http/1.1`, 'Host: x'),
    answers: [400],
  },
  {
    name: 'an unknown method',
    bytes: head(`FETCH ${API}/ping HTTP/1.1`, 'Host: x'),
    answers: [400],
  },
  {
    name: 'a lower-case method',
    bytes: head(`get ${API}/ping HTTP/1.1`, 'Host: x'),
    answers: [400],
  },
  { name: 'an empty line before', bytes: `\r\n${LAST}`, answers: [200] },
  { name: 'a blank before', bytes: ` ${LAST}`, answers: [400] },
  {
    name: 'two blanks before the target',
    bytes: head(`GET  ${API}/ping HTTP/1.1`, 'Host: x', 'Connection: close'),
    answers: [200],
  },
  {
    name: 'a blank within the target',
    bytes: head(`GET ${API}/pi ng HTTP/1.1`, 'Host: x'),
    answers: [400],
  },
  {
    name: 'a tab in the target',
    bytes: head(`GET ${API}/pi\tng HTTP/1.1`, 'Host: x'),
    answers: [400],
  },
  {
    name: 'NUL in the target',
    bytes: head(`GET ${API}/pi\0ng HTTP/1.1`, 'Host: x'),
    answers: [400],
  },
  {
    name: 'raw UTF-8 in the target',
    bytes: head(`GET ${API}/raw/\xc3\xa9 HTTP/1.1`, 'Host: x', 'Connection: close'),
    answers: [400],
  },
  {
    name: 'a raw byte that is not UTF-8 in the target',
    bytes: head(`GET ${API}/raw/\xff HTTP/1.1`, 'Host: x', 'Connection: close'),
    answers: [400],
  },
  {
    name: 'absolute form',
    bytes: head(`GET http://elsewhere:1${API}/ping HTTP/1.1`, 'Host: x', 'Connection: close'),
    answers: [200],
  },
  {
    name: 'absolute form without a path',
    bytes: head('GET http://x HTTP/1.1', 'Host: x', 'Connection: close'),
    answers: [302],
  },
  {
    name: 'absolute form of another scheme',
    bytes: head(`GET gopher://x${API}/ping HTTP/1.1`, 'Host: x', 'Connection: close'),
    answers: [400],
  },
  {
    name: 'authority form',
    bytes: head('GET x:80 HTTP/1.1', 'Host: x', 'Connection: close'),
    answers: [400],
  },
  {
    name: 'asterisk form',
    bytes: head('OPTIONS * HTTP/1.1', 'Host: x', 'Connection: close'),
    answers: [204],
  },
  {
    name: 'asterisk form with a method other than OPTIONS',
    bytes: head('GET * HTTP/1.1', 'Host: x', 'Connection: close'),
    answers: [400],
  },
  {
    name: 'a fragment in the target',
    bytes: head(`GET ${API}/ping#x HTTP/1.1`, 'Host: x', 'Connection: close'),
    answers: [404],
  },
  {
    name: 'dot segments, which are not resolved',
    bytes: head(`GET ${API}/x/../ping HTTP/1.1`, 'Host: x', 'Connection: close'),
    answers: [404],
  },
  {
    name: 'a backslash for a slash',
    bytes: head(`GET ${API}\\ping HTTP/1.1`, 'Host: x', 'Connection: close'),
    answers: [404],
  },
  // Line ends
  {
    name: 'bare LF throughout',
    bytes: `GET ${API}/ping HTTP/1.1\nHost: x\nConnection: close\n\n`,
    answers: [400],
  },
  { name: 'bare LF after a header', bytes: `${GET}\r\nHost: x\nX: y\r\n\r\n`, answers: [400] },
  { name: 'bare CR in a header', bytes: `${GET}\r\nHost: x\r\nX: a\rb\r\n\r\n`, answers: [400] },
  {
    name: 'bare LF at the end of the head',
    bytes: `${GET}\r\nHost: x\r\n\n${PING}`,
    answers: [400],
  },
  // Headers
  { name: 'a folded header', bytes: `${GET}\r\nHost: x\r\nX: a\r\n b\r\n\r\n`, answers: [400] },
  { name: 'a folded first header', bytes: `${GET}\r\n Host: x\r\n\r\n`, answers: [400] },
  {
    name: 'a blank before the colon',
    bytes: head(GET, 'Host: x', 'Content-Length : 5') + PING,
    answers: [400],
  },
  { name: 'a header without a colon', bytes: head(GET, 'Host: x', 'nonsense'), answers: [400] },
  { name: 'a header without a name', bytes: head(GET, 'Host: x', ': y'), answers: [400] },
  { name: 'NUL in a header', bytes: head(GET, 'Host: x', 'X: a\0b'), answers: [400] },
  {
    name: 'a control character in a name',
    bytes: head(GET, 'Host: x', 'X\x01: a'),
    answers: [400],
  },
  {
    name: '100 headers',
    bytes: head(GET, 'Host: x', 'Connection: close', ...many(98)),
    answers: [200],
  },
  {
    name: '101 headers',
    bytes: head(GET, 'Host: x', 'Connection: close', ...many(99)),
    answers: [431],
  },
  { name: '3,000 headers', bytes: head(GET, 'Host: x', ...many(3000)) + PING, answers: [431] },
  // Length of the body
  {
    name: 'Content-Length and chunked',
    bytes: `${JSON_PUT}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  {
    name: 'chunked and Content-Length',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  {
    name: 'two Content-Lengths',
    bytes: `${JSON_PUT}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${PING}`,
    answers: [400],
  },
  {
    name: 'two equal Content-Lengths',
    bytes: `${JSON_PUT}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${PING}`,
    answers: [400],
  },
  {
    name: 'a list as Content-Length',
    bytes: `${JSON_PUT}Content-Length: 2, 2\r\n\r\n{}${PING}`,
    answers: [400],
  },
  {
    name: 'a negative Content-Length',
    bytes: `${JSON_PUT}Content-Length: -2\r\n\r\n{}${PING}`,
    answers: [400],
  },
  {
    name: 'a signed Content-Length',
    bytes: `${JSON_PUT}Content-Length: +2\r\n\r\n{}${PING}`,
    answers: [400],
  },
  {
    name: 'a hexadecimal Content-Length',
    bytes: `${JSON_PUT}Content-Length: 0x2\r\n\r\n{}${PING}`,
    answers: [400],
  },
  {
    name: 'an empty Content-Length',
    bytes: `${JSON_PUT}Content-Length: \r\n\r\n{}${PING}`,
    answers: [400],
  },
  {
    name: 'a Content-Length beyond 64 bits',
    bytes: `${JSON_PUT}Content-Length: 99999999999999999999\r\n\r\n{}`,
    answers: [400],
  },
  {
    name: 'an enormous Content-Length',
    bytes: `${JSON_PUT}Content-Length: 9999999999999\r\n\r\n{}`,
    answers: [413],
  },
  {
    name: 'two encodings, chunked not last',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  {
    name: 'an unknown encoding',
    bytes: `${JSON_PUT}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  {
    name: 'two Transfer-Encodings',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  {
    name: 'an unknown coding before chunks',
    bytes: `${JSON_PUT}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${PING}`,
    answers: [501],
  },
  {
    name: 'a coding before chunks, in two headers',
    bytes: `${JSON_PUT}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${PING}`,
    answers: [501],
  },
  {
    name: 'chunks within chunks',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  {
    name: 'chunks from an HTTP/1.0 client that keeps its connection',
    bytes: `${JSON_PUT.replace('1.1', '1.0')}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  // Chunks
  {
    name: 'valid chunks',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\n\r\n${LAST}`,
    answers: [200, 200],
  },
  {
    name: 'a chunk size that is not a number',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  {
    name: 'a negative chunk size',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  {
    name: 'a chunk size beyond 64 bits',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}`,
    answers: [400],
  },
  {
    name: 'a chunk longer than its size',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  {
    name: 'a chunk size that ends in LF',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n${PING}`,
    answers: [400],
  },
  {
    name: 'a chunk without its line end',
    bytes: `${JSON_PUT}Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n${PING}`,
    answers: [400],
  },
  // One connection, several requests
  { name: 'two requests at once', bytes: PING + LAST, answers: [200, 200] },
  { name: 'garbage after a request', bytes: `${PING}garbage\r\n\r\n`, answers: [200, 400] },
  {
    name: 'garbage after a write',
    bytes: `${JSON_PUT}Content-Length: 2\r\n\r\n{}\0\0\0\0`,
    answers: [200, 400],
  },
  {
    name: 'a broken request after two valid ones',
    bytes: `${PING}${PING}GET / HTTP/1.1\r\nno colon\r\n\r\n${PING}`,
    answers: [200, 200, 400],
  },
  {
    name: 'broken chunks after a valid request',
    bytes: `${PING}${JSON_PUT}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    answers: [200, 400],
  },
  {
    name: 'broken chunks after two valid requests',
    bytes: `${PING}${PING}${JSON_PUT}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    answers: [200, 200, 400],
  },
  {
    name: 'broken chunks of a request that is refused anyway',
    bytes: `POST ${API}/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    answers: [405],
  },
  {
    name: 'broken chunks of a refused request after a valid one',
    bytes: `${PING}POST ${API}/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${PING}`,
    answers: [200, 405],
  },
  {
    name: 'garbage after a streamed answer',
    bytes: `GET ${API}/raw?limit=ALL HTTP/1.1\r\nHost: x\r\n\r\ngarbage\r\n\r\n`,
    answers: [200, 400],
  },
  {
    name: 'a body on GET',
    bytes: `GET ${API}/ping HTTP/1.1\r\nHost: x\r\nContent-Length: ${PING.length}\r\n\r\n${PING}${LAST}`,
    answers: [200, 200],
  },
  { name: 'requests after Connection: close', bytes: LAST + PING, answers: [200] },
  {
    name: 'an offer to upgrade, which is ignored',
    bytes: head(GET, 'Host: x', 'Connection: Upgrade, close', 'Upgrade: websocket'),
    answers: [200],
  },
  {
    name: 'requests after an offer to upgrade, which are not read',
    bytes: head(GET, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket') + PING + LAST,
    answers: [200],
  },
  {
    name: 'a tunnel',
    bytes: head('CONNECT x:80 HTTP/1.1', 'Host: x') + PING,
    answers: [405],
  },
  {
    name: 'a tunnel after requests',
    bytes: PING + PING + head('CONNECT x:80 HTTP/1.1', 'Host: x') + PING,
    answers: [200, 200, 405],
  },
  {
    name: 'a tunnel after a streamed answer',
    bytes: `GET ${API}/raw?limit=ALL HTTP/1.1\r\nHost: x\r\n\r\n${head('CONNECT x:80 HTTP/1.1', 'Host: x')}`,
    answers: [200, 405],
  },
  {
    name: 'a write after an unknown expectation',
    bytes: `${head(GET, 'Host: x', 'Expect: wonders')}${JSON_PUT}Content-Length: 2\r\n\r\n{}`,
    answers: [417],
  },
  {
    name: 'an unknown expectation',
    bytes: head(GET, 'Host: x', 'Expect: wonders', 'Connection: close'),
    answers: [417],
  },
  { name: 'a TLS hello', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', answers: [400] },
  { name: 'noise', bytes: '\xff\xfe\x00\x01\x02', answers: [400] },
];

function many(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `X-${i}: y`);
}

/** Every status that a mutated request may get. */
const POSSIBLE_STATUSES = [
  200, 201, 204, 302, 400, 404, 405, 406, 408, 412, 413, 414, 415, 417, 431, 501,
];

export const rawHttp: Family = {
  id: 'I3',
  title: `raw HTTP, ${FIXED.length} fixed and the rest mutated`,
  bar: 'the right answers, nothing after a refusal',
  cases: 5_000,
  benchCases: 5_000,
  run: runRawHttp,
};

async function runRawHttp({ cases, onProgress, seed }: Work): Promise<Figures> {
  await using service = await Service.start();
  await service.grid.createRegion({ name: 'raw' });
  for (const fixed of FIXED) await checkFixed(service.port, fixed);
  const replayed = await replay('I3', (bytes: string) => checkMutated(service.port, bytes));
  const sources = FIXED.map((fixed) => fixed.bytes).filter((bytes) => bytes.length < 1000);
  const mutated = fc
    .tuple(fc.constantFrom(...sources), mutations())
    .map(([source, changes]) => changes.reduce((bytes, change) => change(bytes), source));
  const work = { cases, onProgress, seed, atOnce: AT_ONCE };
  let answers = 0;
  const done = await checkGenerated(mutated, work, async (batch) => {
    const counts = await Promise.all(batch.map((bytes) => checkMutated(service.port, bytes)));
    answers += counts.reduce((sum, count) => sum + count, 0);
    service.observations.length = 0;
  });
  assert.equal((await service.get('/ping')).status, 200);
  assert.equal(service.server.requestsInFlight, 0);
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  const outcome = `${FIXED.length} fixed ones right, ${answers} whole answers to the mutated ones`;
  return { cases: done, replayed, outcome };
}

async function checkFixed(port: number, { answers, bytes, name }: RawCase): Promise<void> {
  using connection = await RawConnection.open(port);
  connection.write(bytes);
  const received = await connection.untilClosed();
  assert.deepEqual(statusesIn(received), answers, `${name}: ${received}`);
  checkAnswers(received);
}

/** Returns the number of answers. */
async function checkMutated(port: number, bytes: string): Promise<number> {
  using connection = await RawConnection.open(port);
  connection.write(bytes);
  connection.socket.end();
  const received = await connection.untilClosed();
  const shown = `${JSON.stringify(bytes)} got ${received}`;
  const statuses = statusesIn(received);
  for (const status of statuses) assert.ok(POSSIBLE_STATUSES.includes(status), shown);
  // More answers than requests would mean that a body was answered.
  const requestCount = bytes.split('HTTP/1.').length - 1;
  assert.ok(statuses.filter((status) => status < 300).length <= requestCount, shown);
  checkAnswers(received);
  return statuses.length;
}

type Mutation = (bytes: string) => string;

/** A few mutations of a text: replaced, inserted, removed or repeated bytes, or a truncation. */
function mutations(): fc.Arbitrary<readonly Mutation[]> {
  const at = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  const noise = fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    ' ',
    '\t',
    '\0',
    ':',
    ',',
    '0',
    'f',
    '\xff',
    '%',
    '/',
    ';',
  );
  const offsetAt = (bytes: string, part: number): number => Math.floor(part * bytes.length);
  const mutation = fc.oneof(
    fc.tuple(at, noise).map(
      ([part, text]): Mutation =>
        (bytes) =>
          bytes.slice(0, offsetAt(bytes, part)) + text + bytes.slice(offsetAt(bytes, part)),
    ),
    fc.tuple(at, noise).map(
      ([part, text]): Mutation =>
        (bytes) =>
          bytes.slice(0, offsetAt(bytes, part)) + text + bytes.slice(offsetAt(bytes, part) + 1),
    ),
    fc.tuple(at, fc.nat(20)).map(
      ([part, length]): Mutation =>
        (bytes) =>
          bytes.slice(0, offsetAt(bytes, part)) + bytes.slice(offsetAt(bytes, part) + length),
    ),
    fc.tuple(at, fc.nat(40)).map(
      ([part, length]): Mutation =>
        (bytes) =>
          bytes.slice(0, offsetAt(bytes, part) + length) + bytes.slice(offsetAt(bytes, part)),
    ),
    at.map(
      (part): Mutation =>
        (bytes) =>
          bytes.slice(0, offsetAt(bytes, part)),
    ),
  );
  return fc.array(mutation, { minLength: 1, maxLength: 4 });
}

/** The bytes must be whole answers, with nothing between them and nothing after one that closes. */
function checkAnswers(received: string): void {
  let rest = received;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const head = rest.slice(0, end);
    assert.match(head, /^HTTP\/1\.1 \d{3} [A-Z][\w' -]*\r\n/, received);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const chunked = /\r\ntransfer-encoding: chunked/i.test(head);
    const body = rest.slice(end + 4);
    const bodyEnd = chunked ? body.indexOf('0\r\n\r\n') + 5 : length;
    assert.ok(body.length >= bodyEnd, `an answer was cut short: ${received}`);
    if (!chunked && length > 0) {
      JSON.parse(Buffer.from(body.slice(0, bodyEnd), 'latin1').toString());
    } else {
      // Every refusal has a reason.
      assert.match(head, /^HTTP\/1\.1 (2|3)/, `no reason given: ${received}`);
    }
    rest = body.slice(bodyEnd);
    if (/\r\nconnection: close/i.test(head)) assert.equal(rest, '', `after the end: ${received}`);
  }
}
