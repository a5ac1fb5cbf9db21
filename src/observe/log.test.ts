import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../value/testing/any-character.ts';
import { createLog, type LogOptions } from './log.ts';
import { observeAll, observeNothing, type RequestFinished } from './observation.ts';

const TIME = Date.UTC(2026, 0, 2, 3, 4, 5, 67);

function openLog(options: Partial<LogOptions> = {}): {
  log: ReturnType<typeof createLog>;
  writes: string[];
} {
  const writes: string[] = [];
  const log = createLog({
    level: 'info',
    format: 'json',
    requests: true,
    trace: 'safe',
    write: (text) => writes.push(text),
    now: () => TIME,
    ...options,
  });
  return { log, writes };
}

function request(changes: Partial<RequestFinished> = {}): RequestFinished {
  return {
    kind: 'request-finished',
    requestId: 'r1',
    method: 'GET',
    route: '/grid-api/v1/{region}',
    path: '/grid-api/v1/orders',
    status: 200,
    bytes: 12,
    ms: 1.23456,
    ...changes,
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a request is one JSON object on one line', () => {
  const { log, writes } = openLog();
  log.observe(request());
  log.flush();
  assert.equal(writes.length, 1);
  assert.match(writes[0] ?? '', /^[^\n]*\n$/);
  assert.deepEqual(JSON.parse(writes[0] ?? ''), {
    time: '2026-01-02T03:04:05.067Z',
    level: 'info',
    event: 'request-finished',
    requestId: 'r1',
    method: 'GET',
    route: '/grid-api/v1/{region}',
    path: '/grid-api/v1/orders',
    status: 200,
    bytes: 12,
    ms: 1.235,
  });
});

test('any path is one JSON object on one line, and can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (path) => {
      const { log, writes } = openLog();
      log.observe(request({ path }));
      log.flush();
      const text = writes.join('');
      assert.equal(text.indexOf('\n'), text.length - 1);
      assert.equal(JSON.parse(text).path, path);
    }),
  );
});

test('lines of one turn are written together, at the end of the turn', async () => {
  const { log, writes } = openLog();
  log.observe(request());
  log.observe(request());
  assert.equal(writes.length, 0);
  await nextTurn();
  assert.equal(writes.length, 1);
  assert.equal(writes[0]?.split('\n').length, 3);
  await nextTurn();
  assert.equal(writes.length, 1);
});

test('64 KiB of lines are written without waiting for the turn to end', () => {
  const { log, writes } = openLog();
  for (let i = 0; i < 1000; i++) log.observe(request());
  assert.ok(writes.length >= 2);
});

test('request lines can be switched off, and a level drops what is less important', () => {
  const quiet = openLog({ requests: false });
  quiet.log.observe(request());
  quiet.log.flush();
  assert.deepEqual(quiet.writes, []);

  const warnings = openLog({ level: 'warn' });
  warnings.log.observe(request());
  warnings.log.observe(request({ status: 503, requestId: 'r2' }));
  warnings.log.observe({ kind: 'region-created', region: 'orders' });
  warnings.log.flush();
  assert.equal(warnings.writes.length, 1);
  assert.equal(JSON.parse(warnings.writes[0] ?? '').requestId, 'r2');
});

test('queries are reported at debug level only', () => {
  const finished = {
    kind: 'query-finished',
    queryId: undefined,
    outcome: 'completed',
    code: undefined,
    rows: 3,
    ms: 1,
    waitedMs: 0,
  } as const;
  const { log, writes } = openLog({ level: 'debug' });
  log.observe(finished);
  log.flush();
  assert.equal(JSON.parse(writes[0] ?? '').event, 'query-finished');
  const readable = openLog({ level: 'debug', format: 'readable' });
  readable.log.observe(finished);
  readable.log.flush();
  assert.match(readable.writes[0] ?? '', /query finished/);
  assert.doesNotMatch(readable.writes[0] ?? '', /queryId|undefined/);
  const informed = openLog();
  informed.log.observe(finished);
  informed.log.flush();
  assert.deepEqual(informed.writes, []);
});

test('an unforeseen error shows name, code and frames, and its message only when asked', () => {
  const error = Object.assign(new TypeError('canary-4711 is not valid'), { code: 'ERR_CANARY' });
  for (const format of ['json', 'readable'] as const) {
    const safe = openLog({ format });
    safe.log.observe({ kind: 'request-failed', requestId: 'r1', error });
    safe.log.flush();
    const line = safe.writes.join('');
    assert.ok(!line.includes('canary-4711'), line);
    assert.ok(line.includes('TypeError') && line.includes('ERR_CANARY'), line);
    assert.ok(line.includes('log.test'), line);

    const full = openLog({ format, trace: 'full' });
    full.log.observe({ kind: 'service-failed', error });
    full.log.flush();
    assert.ok(full.writes.join('').includes('canary-4711'));

    const off = openLog({ format, trace: 'off' });
    off.log.observe({ kind: 'service-failed', error });
    off.log.flush();
    assert.ok(!off.writes.join('').includes('log.test'));
  }
});

test('a thrown value that is not an error is named by its type', () => {
  const { log, writes } = openLog();
  log.observe({ kind: 'service-failed', error: 'canary-4711' });
  log.flush();
  assert.deepEqual(JSON.parse(writes[0] ?? '').error, { name: 'string' });
});

test('the readable line names method, path, status and time, and no control character', () => {
  const { log, writes } = openLog({ format: 'readable' });
  log.observe(request({ path: '/a\u001b[2J\nb', status: 404 }));
  log.observe(request({ status: 500 }));
  log.observe({ kind: 'region-created', region: 'orders' });
  log.observe({ kind: 'service-stopped', ms: 780.6063819999999, unfinishedRequests: 0 });
  log.flush();
  const lines = writes.join('').split('\n');
  assert.equal(lines.length, 5);
  assert.match(lines[3] ?? '', / 780\.606 /);
  assert.ok(lines[0]?.includes('03:04:05') && lines[0].includes('/a [2J b'));
  assert.ok(lines[0]?.includes('404') && lines[0].includes('1.2 ms'));
  assert.ok(lines[2]?.includes('region created') && lines[2].includes('orders'));
});

test('every sink gets every observation', () => {
  const seen: string[] = [];
  const observe = observeAll([observeNothing, (observation) => seen.push(observation.kind)]);
  observe({ kind: 'service-stopping', reason: 'SIGTERM' });
  assert.deepEqual(seen, ['service-stopping']);
});

test('a request with an interrupted answer is an error with a reason, in both formats', () => {
  for (const format of ['json', 'readable'] as const) {
    const { log, writes } = openLog({ format, level: 'error' });
    log.observe(request());
    log.observe(request({ cutBy: 'engine/store-damaged' }));
    log.observe({
      kind: 'store-failure',
      requestId: 'r1',
      code: 'engine/store-damaged',
      reason: '/data/gridkeep.db is damaged: an entry fails its checksum',
    });
    log.flush();
    const [cut = '', failure = '', ...rest] = writes.join('').split('\n');
    assert.match(cut, /200.*engine\/store-damaged/);
    assert.match(failure, /store.failure.*gridkeep\.db is damaged/);
    assert.deepEqual(rest, ['']);
  }
});

test('a failed request shows its code and, for a query, any id', () => {
  const { log, writes } = openLog();
  log.observe(request({ status: 500, code: 'oql/timeout', queryId: 'a "b"\n' }));
  log.observe(request({ status: 404, code: 'grid/region-not-found' }));
  log.flush();
  const [first, second] = (writes[0] ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(first.code, 'oql/timeout');
  assert.equal(first.queryId, 'a "b"\n');
  assert.equal(second.code, 'grid/region-not-found');
  assert.ok(!('queryId' in second));
});
