// Compares requests read directly from the socket with the same requests read by Node's own parser. The
// answers have the same bytes, however the requests are split, with slow handlers, and also if the client
// half-closes.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../../src/engine/engine.ts';
import { shareOfRuns } from '../../src/value/testing/share-of-runs.ts';
import { RawConnection } from '../http-client.ts';
import { API, manyEntries, Service } from '../service.ts';
import { createSlowEngine } from './slow-engine.ts';

const CASES = shareOfRuns(1_000);
const AT_ONCE = 20;
const LAST = `GET ${API}/ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;

/** Headers that always differ. */
const VARYING = /^(Date|X-Request-Id|ETag|Location|Content-Location): .*$/gm;
const REQUEST_ID = /(?<="requestId":"|urn:gridkeep:request:)[^"]*/g;
/** The boundaries of chunks may differ. */
const CHUNK_BORDER = /\r\n[0-9a-f]+\r\n/g;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const TIMED_OUT = 'HTTP/1.1 408 ';

const target = fc.constantFrom(
  `${API}/ping`,
  `${API}/read`,
  `${API}/read/k00001`,
  `${API}/read/k00001,k00003,k00002`,
  `${API}/read/k00001,absent?ignoreMissingKey=true`,
  `${API}/read/absent`,
  `${API}/read/%6B00001`,
  `${API}/read/%zz`,
  `${API}/read/keys`,
  `${API}/read?limit=ALL`,
  `${API}/read?limit=x`,
  `${API}/read?pretty=true&limit=2`,
  `${API}/absent`,
  `${API}`,
  `${API}/queries`,
  '/livez',
  '/nowhere',
  '/',
);
const field = fc.constantFrom(
  'Accept: application/json',
  'Accept: text/html',
  'Accept: application/problem+json',
  'accept-encoding: gzip, br',
  'Connection: keep-alive',
  'Connection: Keep-Alive',
  'If-None-Match: *',
  'If-None-Match: "x"',
  'Origin: http://elsewhere',
  'X-Request-Id: own-id',
  'X-Empty:',
  'X-Blanks: \t a \t ',
);
const headers = fc.uniqueArray(field, { maxLength: 4 });
const read = fc
  .tuple(fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'PATCH'), target, headers)
  .map(([method, path, lines]) => print(`${method} ${path} HTTP/1.1`, lines));
const write = fc
  .tuple(
    fc.constantFrom('PUT', 'POST', 'DELETE'),
    // A separate key, because cases run concurrently.
    fc.oneof(
      fc.uuid().map((key) => `${API}/written/${key}`),
      fc.constant(`${API}/ping`),
    ),
    fc.constantFrom('', '{"n":1}', '{"n":', '{"é":"\xc3\xa9"}', '[{}]'),
    headers,
  )
  .map(([method, path, body, lines]) => {
    const length = `Content-Length: ${body.length}`;
    const own = ['Content-Type: application/json', ...(body === '' ? [] : [length])];
    return print(`${method} ${path} HTTP/1.1`, [...own, ...lines]) + body;
  });

function print(line: string, lines: readonly string[]): string {
  return [line, 'Host: x', ...lines, '', ''].join('\r\n');
}

/** How a connection ends: the last request asks for it, or the client half-closes. */
type End = 'asked-for' | 'half-close';

interface Case {
  readonly parts: readonly string[];
  readonly end: End;
}

const requests = fc
  .array(fc.oneof(read, read, write), { minLength: 1, maxLength: 4 })
  .map((all) => all.join(''));
const end = fc.constantFrom<End>('asked-for', 'half-close');

/** Consecutive requests, split into pieces anywhere. */
const pieces: fc.Arbitrary<Case> = fc
  .tuple(requests, end, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }))
  .map(([text, ending, cuts]) => ({ parts: cut(text + lastOf(ending), cuts), end: ending }));

/** The same in one piece, with a few bytes changed: bytes after a refusal may reset the connection. */
const broken: fc.Arbitrary<Case> = fc
  .tuple(
    requests,
    end,
    fc.array(
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ max: 255, min: 0 })),
      { minLength: 1, maxLength: 2 },
    ),
  )
  .map(([text, ending, changes]) => ({
    parts: [changes.reduce(change, text) + lastOf(ending)],
    end: ending,
  }));

function lastOf(ending: End): string {
  return ending === 'asked-for' ? LAST : '';
}

function cut(text: string, cuts: readonly number[]): readonly string[] {
  const places = cuts.map((at) => Math.floor(at * text.length)).sort((a, b) => a - b);
  return [0, ...places].map((from, i) => text.slice(from, places[i] ?? text.length));
}

function change(part: string, [at, byte]: readonly [number, number]): string {
  const offset = Math.floor(at * part.length);
  return part.slice(0, offset) + String.fromCharCode(byte) + part.slice(offset + 1);
}

const JSON_BODY = 'Content-Type: application/json';
const WRITTEN = `${API}/written/framed`;

/** Framing and Expect headers, on which two parsers must not differ. */
const FRAMED: Readonly<Record<string, string>> = {
  'a GET of length 0': print(`GET ${API}/ping HTTP/1.1`, ['Content-Length: 0']),
  'a GET of length 00': print(`GET ${API}/ping HTTP/1.1`, ['Content-Length: 00']),
  'a GET with a body': `${print(`GET ${API}/ping HTTP/1.1`, ['Content-Length: 5'])}GET /`,
  'a GET in chunks': `${print(`GET ${API}/ping HTTP/1.1`, ['Transfer-Encoding: chunked'])}0\r\n\r\n`,
  'a HEAD of length 0': print(`HEAD ${API}/read HTTP/1.1`, ['Content-Length: 0']),
  'a PUT of length 0': print(`PUT ${WRITTEN} HTTP/1.1`, [JSON_BODY, 'Content-Length: 0']),
  'a DELETE of length 0': print(`DELETE ${WRITTEN} HTTP/1.1`, ['Content-Length: 0']),
  'a PUT in chunks': `${print(`PUT ${WRITTEN} HTTP/1.1`, [JSON_BODY, 'Transfer-Encoding: chunked'])}2\r\n{}\r\n0\r\n\r\n`,
  'a length and chunks': `${print(`PUT ${WRITTEN} HTTP/1.1`, [JSON_BODY, 'Content-Length: 2', 'Transfer-Encoding: chunked'])}2\r\n{}\r\n0\r\n\r\n`,
  'a length and another coding': `${print(`PUT ${WRITTEN} HTTP/1.1`, [JSON_BODY, 'Content-Length: 2', 'Transfer-Encoding: identity'])}{}`,
  'an expectation': `${print(`PUT ${WRITTEN} HTTP/1.1`, [JSON_BODY, 'Content-Length: 2', 'Expect: 100-continue'])}{}`,
  'an unknown expectation': `${print(`PUT ${WRITTEN} HTTP/1.1`, [JSON_BODY, 'Content-Length: 2', 'Expect: more'])}{}`,
};

async function exchange(port: number, { end: ending, parts }: Case): Promise<string> {
  using connection = await RawConnection.open(port);
  connection.socket.setNoDelay(true);
  for (const part of parts) {
    if (!connection.closed) connection.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (ending === 'half-close') connection.socket.end();
  const all = await connection.untilClosed();
  // A client that half-closed gets a 100 when its answer takes long.
  const received = ending === 'half-close' ? all.replaceAll(CONTINUE, '') : all;
  return received.replace(VARYING, '$1').replace(REQUEST_ID, '').replace(CHUNK_BORDER, '');
}

describe('Reading requests from their sockets', () => {
  const limits = { headersTimeoutMs: 1000, requestTimeoutMs: 1000, timeoutCheckMs: 20 };
  let services: readonly Service[];
  before(async () => {
    services = await Promise.all(
      (['direct', 'node'] as const).map((reading) => {
        let calls = 0;
        const wrapEngine = (engine: Engine): Engine =>
          createSlowEngine(engine, () => {
            calls += 1;
            return [0, 2, 0, 9, 1][calls % 5] ?? 0;
          });
        return Service.start({ server: limits, http: { reading }, wrapEngine });
      }),
    );
    for (const service of services) {
      for (const name of ['read', 'written']) await service.grid.createRegion({ name });
      await service.put('read', manyEntries(60));
    }
  });
  after(() => Promise.all(services.map((service) => service.stop())));

  let compared = 0;
  let leftOut = 0;

  async function compare(one: Case): Promise<void> {
    const [direct = '', byNode = ''] = await Promise.all(
      services.map(({ port }) => exchange(port, one)),
    );
    // The time of the answer to an incomplete request depends on the parser.
    if (direct.includes(TIMED_OUT) && byNode.includes(TIMED_OUT)) {
      leftOut += 1;
      return;
    }
    assert.equal(direct, byNode, JSON.stringify(one));
    compared += 1;
  }

  for (const [name, framed] of Object.entries(FRAMED)) {
    it(`answers ${name} like Node`, async () => {
      const following = print(`GET ${API}/ping HTTP/1.1`, []) + framed;
      for (const text of [framed, following]) {
        await compare({ parts: [text + LAST], end: 'asked-for' });
        await compare({ parts: [text], end: 'half-close' });
      }
      assert.equal(leftOut, 0);
    });
  }

  for (const { arbitrary, mostLeftOut, name } of [
    { name: 'requests', arbitrary: pieces, mostLeftOut: 0 },
    // A broken length or end of a head makes a request wait for bytes that never arrive.
    { name: 'broken requests', arbitrary: broken, mostLeftOut: 0.02 },
  ]) {
    it(`gives ${name} the same answers as Node`, async (t) => {
      compared = 0;
      leftOut = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(arbitrary, { minLength: AT_ONCE, maxLength: AT_ONCE }),
          async (all) => {
            await Promise.all(all.map(compare));
          },
        ),
        { numRuns: Math.ceil(CASES / AT_ONCE), endOnFailure: true },
      );
      t.diagnostic(`${compared} compared, ${leftOut} left out`);
      assert.ok(compared + leftOut >= CASES);
      assert.ok(leftOut <= CASES * mostLeftOut, `${leftOut} of ${CASES} were left out`);
    });
  }
});
