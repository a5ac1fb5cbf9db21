// Pipelined requests, split into any pieces, with slow handlers and clients, and with half-close. A model
// answers them one after another. The service must give the same answers in the same order, up to one
// with `Connection: close`, and must not execute any request after that one.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../src/value/testing/share-of-runs.ts';
import { RawConnection } from '../http-client.ts';
import { API, manyEntries, Service } from '../service.ts';
import { type ReadAnswer, readAnswers } from './read-answers.ts';
import { createSlowEngine } from './slow-engine.ts';

const CASES = shareOfRuns(1_000);
const AT_ONCE = 10;
const JSON_BODY = 'Content-Type: application/json';
/** More than the buffers of the system hold for a client that does not read. */
const LARGE = manyEntries(90, 64 * 1024);
const LARGE_BODY = `{"large":[${Object.values(LARGE).join(',')}]}`;

type Kind =
  | 'put'
  | 'put-in-chunks'
  | 'put-expecting'
  | 'put-broken'
  | 'get'
  | 'get-not-plain'
  | 'get-1.0'
  | 'delete'
  | 'ping'
  | 'head'
  | 'large'
  | 'refused-expecting'
  | 'upgrade'
  | 'wonders'
  | 'tunnel'
  | 'malformed';

interface Sent {
  readonly kind: Kind;
  readonly key: string;
  readonly n: number;
}

/** Requests after which the connection may end. */
const MAY_CLOSE: ReadonlySet<Kind> = new Set<Kind>([
  'refused-expecting',
  'upgrade',
  'wonders',
  'tunnel',
  'malformed',
]);

function print(line: string, ...fields: readonly string[]): string {
  return [line, 'Host: x', ...fields, '', ''].join('\r\n');
}

function printPut(path: string, body: string, ...fields: readonly string[]): string {
  const length = `Content-Length: ${body.length}`;
  return print(`PUT ${path} HTTP/1.1`, JSON_BODY, length, ...fields) + body;
}

function printRequest({ key, kind, n }: Sent): string {
  const path = `${API}/own/${key}`;
  const value = `{"n":${n}}`;
  switch (kind) {
    case 'put':
      return printPut(path, value);
    case 'put-in-chunks': {
      const chunks = `${value.length.toString(16)}\r\n${value}\r\n0\r\n\r\n`;
      return print(`PUT ${path} HTTP/1.1`, JSON_BODY, 'Transfer-Encoding: chunked') + chunks;
    }
    case 'put-expecting':
      return printPut(path, value, 'Expect: 100-continue');
    case 'put-broken':
      return printPut(path, '{"n":');
    case 'get':
      return print(`GET ${path} HTTP/1.1`);
    case 'get-not-plain':
      return print(`GET ${path} HTTP/1.1`, 'X-Not-Plain: \xe9');
    case 'get-1.0':
      return print(`GET ${path} HTTP/1.0`, 'Connection: keep-alive');
    case 'delete':
      return print(`DELETE ${path} HTTP/1.1`);
    case 'ping':
      return print(`GET ${API}/ping HTTP/1.1`);
    case 'head':
      return print(`HEAD ${API}/large HTTP/1.1`);
    case 'large':
      return print(`GET ${API}/large?limit=ALL HTTP/1.1`);
    case 'refused-expecting':
      return printPut('/nowhere', value, 'Expect: 100-continue');
    case 'upgrade':
      return print(`GET ${API}/ping HTTP/1.1`, 'Connection: Upgrade', 'Upgrade: websocket');
    case 'wonders':
      return printPut(path, value, 'Expect: wonders');
    case 'tunnel':
      return print('CONNECT x:80 HTTP/1.1');
    case 'malformed':
      return 'GET / HTTP/1.1\r\nno colon\r\n\r\n';
  }
}

/** Applies a request to the model; returns its status, and its body if it is known. */
function answer({ key, kind, n }: Sent, model: Map<string, number>): [number, string?] {
  switch (kind) {
    case 'put':
    case 'put-in-chunks':
    case 'put-expecting':
      model.set(key, n);
      return [200, ''];
    case 'get':
    case 'get-not-plain':
    case 'get-1.0':
      return model.has(key) ? [200, `{"own":[{"n":${model.get(key)}}]}`] : [400];
    case 'delete':
      return model.delete(key) ? [200, ''] : [404];
    case 'large':
      return [200, LARGE_BODY];
    case 'ping':
    case 'head':
    case 'upgrade':
      return [200];
    case 'put-broken':
    case 'malformed':
      return [400];
    case 'refused-expecting':
      return [404];
    case 'wonders':
      return [417];
    case 'tunnel':
      return [405];
  }
}

function methodOf(sent: Sent): string {
  return printRequest(sent).split(' ', 1)[0] ?? '';
}

interface Case {
  readonly sent: readonly Sent[];
  /** Where the bytes are split, as shares of the whole. */
  readonly cuts: readonly number[];
  /** Rounds of the event loop between two pieces. */
  readonly apart: number;
  readonly end: 'half-close' | 'close';
  /** Rounds for which the client does not read, at first and after each piece of the answers. */
  readonly slowness: number;
}

const kind = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom<Kind>('put', 'get', 'get', 'put', 'delete', 'ping', 'head'),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom<Kind>('put-in-chunks', 'put-expecting', 'get-not-plain', 'get-1.0'),
  },
  { weight: 1, arbitrary: fc.constantFrom<Kind>('large', 'put-broken') },
  { weight: 1, arbitrary: fc.constantFrom<Kind>(...MAY_CLOSE) },
);

const cases: fc.Arbitrary<Case> = fc.record({
  sent: fc.array(
    fc.record({ kind, key: fc.constantFrom('a', 'b'), n: fc.integer({ min: 0, max: 9999 }) }),
    { minLength: 1, maxLength: 40 },
  ),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
  apart: fc.integer({ min: 0, max: 5 }),
  end: fc.constantFrom('half-close' as const, 'close' as const),
  slowness: fc.constantFrom(0, 0, 1, 20),
});

const LAST: Sent = { kind: 'ping', key: '', n: 0 };
const PRINTED_LAST = print(`GET ${API}/ping HTTP/1.1`, 'Connection: close');

async function rounds(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Everything that the connection received. */
async function exchange(port: number, bytes: string, one: Case): Promise<string> {
  using connection = await RawConnection.open(port);
  const { socket } = connection;
  socket.setNoDelay(true);
  if (one.slowness > 0) {
    const readSlowly = async (): Promise<void> => {
      socket.pause();
      await rounds(one.slowness);
      socket.resume();
    };
    socket.on('data', readSlowly);
    void readSlowly();
  }
  const places = one.cuts.map((at) => Math.floor(at * bytes.length)).sort((a, b) => a - b);
  for (const [i, from] of [0, ...places].entries()) {
    if (!socket.writable) break;
    connection.write(bytes.slice(from, places[i] ?? bytes.length));
    await rounds(one.apart);
  }
  if (one.end === 'half-close') socket.end();
  return await connection.untilClosed();
}

/** Counts of answers, and of requests after a `close` that were not executed. */
const seen = { answers: 0, closes: 0, halfCloses: 0 };

for (const reading of ['direct', 'node'] as const) {
  describe(`pipelined requests, read by ${reading}`, () => {
    let service: Service;
    let turn = 0;
    before(async () => {
      service = await Service.start({
        http: { reading },
        // A small pattern is enough, as long as neighbours differ.
        wrapEngine: (engine) =>
          createSlowEngine(engine, () => {
            turn += 1;
            return [0, 3, 1, 0, 7, 2][turn % 6] ?? 0;
          }),
      });
      for (const name of ['own', 'large']) await service.grid.createRegion({ name });
      await service.put('large', LARGE);
    });
    after(() => service.stop());

    let connections = 0;

    const check = async (one: Case): Promise<void> => {
      connections += 1;
      // Separate keys, because cases run concurrently.
      const own = one.sent.map((sent) => ({ ...sent, key: `${sent.key}${connections}` }));
      const sent = one.end === 'close' ? [...own, LAST] : own;
      const bytes = own.map(printRequest).join('') + (one.end === 'close' ? PRINTED_LAST : '');
      const keys = [...new Set(own.map(({ key }) => key))];
      const received = await exchange(service.port, bytes, one);
      const answers = readAnswers(received, sent.map(methodOf));
      const model = new Map<string, number>();
      compareAnswers(answers, sent, model);
      const stored = await service.get(`/own/${keys.join(',')}?ignoreMissingKey=true`);
      const expected = keys.map((key) => (model.has(key) ? `{"n":${model.get(key)}}` : 'null'));
      assert.equal(stored.text, `{"own":[${expected.join(',')}]}`, 'carried out but not answered');
      seen.answers += answers.length;
      seen.halfCloses += one.end === 'half-close' ? 1 : 0;
    };

    it('get the same answers as from a model that executes them one after another', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(cases, { minLength: AT_ONCE, maxLength: AT_ONCE }),
          async (all) => {
            await Promise.all(all.map(check));
          },
        ),
        { numRuns: Math.ceil(CASES / AT_ONCE), endOnFailure: true },
      );
      assert.ok(seen.answers > CASES && seen.closes > 0 && seen.halfCloses > CASES / 10);
    });

    it('are all answered after a half-close, however many pages they request', async () => {
      const page = { kind: 'large', key: '', n: 0 } as const;
      const request = print(`GET ${API}/large?limit=2 HTTP/1.1`);
      const sent = Array.from({ length: 150 }, () => page);
      using connection = await RawConnection.open(service.port);
      connection.socket.end(request.repeat(sent.length));
      const answers = readAnswers(await connection.untilClosed(), sent.map(methodOf));
      assert.equal(answers.length, sent.length);
      assert.deepEqual([...new Set(answers.map(({ body }) => body))].length, 1);
    });

    it('get complete answers also if the client sends more after an answer that closes', async () => {
      const sent: readonly Sent[] = [
        { kind: 'large', key: '', n: 0 },
        { kind: 'upgrade', key: '', n: 0 },
      ];
      for (let times = 0; times < 5; times += 1) {
        using connection = await RawConnection.open(service.port);
        connection.write(sent.map(printRequest).join(''));
        connection.socket.on('data', () => {
          if (connection.socket.writable) connection.write('more');
        });
        const answers = readAnswers(await connection.untilClosed(), sent.map(methodOf));
        compareAnswers(answers, sent, new Map());
      }
    });

    it('read what was written before them', async () => {
      const own = { key: 'fresh' };
      for (let n = 0; n < 100; n += 1) {
        const sent: readonly Sent[] = [
          { ...own, n, kind: 'put-in-chunks' },
          { ...own, n, kind: 'get' },
        ];
        using connection = await RawConnection.open(service.port);
        connection.socket.end(sent.map(printRequest).join(''));
        const answers = readAnswers(await connection.untilClosed(), sent.map(methodOf));
        compareAnswers(answers, sent, new Map());
        assert.equal(answers.length, 2);
      }
    });
  });
}

function compareAnswers(
  answers: readonly ReadAnswer[],
  sent: readonly Sent[],
  model: Map<string, number>,
): void {
  const kinds = String(sent.map((one) => one.kind));
  for (const [i, { body, closes, status }] of answers.entries()) {
    const request = sent[i] ?? LAST;
    const [expectedStatus, expectedBody] = answer(request, model);
    const name = `${request.kind}, ${i} of ${kinds}`;
    assert.equal(status, expectedStatus, name);
    if (expectedBody !== undefined) assert.ok(body === expectedBody, `${name}: another body`);
    if (!closes) continue;
    assert.ok(MAY_CLOSE.has(request.kind) || i === sent.length - 1, `${name} closes`);
    assert.equal(i, answers.length - 1, `${name} closes, and others follow`);
    seen.closes += 1;
    return;
  }
  assert.equal(answers.length, sent.length, `the rest of ${kinds}`);
}
