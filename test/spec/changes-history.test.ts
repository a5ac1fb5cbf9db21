// The change feed of regions with history: every value, the previous values, and conditions on
// removed values.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FeedClient, type SeenChange } from '../feed-client.ts';
import { json } from '../http-client.ts';
import { API, onEveryEngine, type Service } from '../service.ts';

interface Page {
  readonly changes: readonly SeenChange[];
  readonly next: number;
}

async function page(service: Service, path: string): Promise<Page> {
  const answer = await service.get(path);
  assert.equal(answer.status, 200, answer.text);
  return json(answer) as Page; // as the page is described
}

/** `put a 2 (1)`: the new value, and the old one. */
function short(change: SeenChange): string {
  const { key, op, superseded, value } = change;
  const old = 'old' in change ? `(${Object(change.old).n})` : undefined;
  const gone = change['old-gone'] === true ? '(gone)' : undefined;
  const put = superseded === true ? 'superseded' : Object(value).n;
  return [op, key, put, old, gone].filter((part) => part !== undefined).join(' ');
}

onEveryEngine('Change feed with history', (service) => {
  const keeping = (count = 1000): Promise<string> =>
    service().region({}, { settings: { history: { count } } });

  /** Writes puts, a removal and a clear, so that no value is current. */
  async function fill(region: string): Promise<void> {
    await service().put(region, { a: '{"n":1.0,"s":"x"}', b: '{"n":10}' });
    await service().put(region, { a: '{"n":2}' });
    await service().send('DELETE', `/${region}/b`);
    await service().put(region, { b: '{"n":20}' });
    await service().send('DELETE', `/${region}`);
  }

  it('returns the value of every put, also when it was overwritten', async () => {
    const region = await keeping();
    await fill(region);
    const { changes } = await page(service(), `/${region}/_changes?since=0`);
    assert.deepEqual(changes.map(short), [
      'create-region',
      'put a 1',
      'put b 10',
      'put a 2',
      'remove b',
      'put b 20',
      'clear',
    ]);
    const { text } = await service().get(`/${region}/_changes?since=0`);
    assert.match(text, /"version":\d+,"value":\{"n":1\.0,"s":"x"\}\}/);
    const bare = await page(service(), `/${region}/_changes?since=0&include=none&ops=put`);
    assert.ok(bare.changes.every((change) => !('value' in change || 'superseded' in change)));
  });

  it('adds the previous value of each change on request, in every format', async () => {
    const region = await keeping();
    await fill(region);
    const expected = [
      'create-region',
      'put a 1',
      'put b 10',
      'put a 2 (1)',
      'remove b (10)',
      'put b 20',
      'clear',
    ];
    for (const include of ['old', 'value,old', 'old,value']) {
      const path = `/${region}/_changes?since=0&include=${include}`;
      assert.deepEqual((await page(service(), path)).changes.map(short), expected);
    }
    const path = `/${region}/_changes?since=0&include=old`;
    const { text } = await service().get(path);
    assert.match(text, /"value":\{"n":2\},"old":\{"n":1\.0,"s":"x"\}\}/);
    for (const accept of ['text/event-stream', 'application/x-ndjson']) {
      using feed = await FeedClient.open(accept, { port: service().port, path: API + path });
      assert.deepEqual((await feed.changes(expected.length)).map(short), expected);
      await service().put(region, { a: '{"n":3}' });
      assert.equal(short(await feed.change()), 'put a 3');
      await service().put(region, { a: '{"n":4}' });
      assert.equal(short(await feed.change()), 'put a 4 (3)');
      await service().send('DELETE', `/${region}/a`);
      assert.equal(short(await feed.change()), 'remove a (4)');
      expected.push('put a 3', 'put a 4 (3)', 'remove a (4)');
    }
  });

  it('continues from page to page, with whole commits', async () => {
    const region = await keeping();
    await fill(region);
    const seen: string[][] = [];
    for (let since = 0; ; ) {
      const path = `/${region}/_changes?since=${since}&limit=1&include=old&ops=put,remove`;
      const { changes, next } = await page(service(), path);
      if (changes.length === 0) break;
      seen.push(changes.map(short));
      since = next;
    }
    assert.deepEqual(seen, [
      ['put a 1', 'put b 10'],
      ['put a 2 (1)'],
      ['remove b (10)'],
      ['put b 20'],
    ]);
  });

  it('returns large values in pages of bounded size, and omits none', async () => {
    const region = await keeping();
    const filler = 'x'.repeat(100_000);
    const expected: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      await service().put(region, { a: `{"n":${n},"x":"${filler}"}` });
      expected.push(n === 0 ? 'put a 0' : `put a ${n} (${n - 1})`);
    }
    const path = `${API}/${region}/_changes?since=0&include=old&ops=put`;
    using feed = await FeedClient.open('application/x-ndjson', { port: service().port, path });
    assert.deepEqual((await feed.changes(12)).map(short), expected);
    const whole = await page(service(), `/${region}/_changes?since=0&include=old&ops=put`);
    assert.deepEqual(whole.changes.map(short), expected);
  });

  it('applies a condition to the value of a put, and to the removed value of a removal', async () => {
    const region = await keeping();
    await service().put(region, { a: '{"n":1}', b: '{"n":5}' });
    await service().put(region, { a: '{"n":5}' });
    await service().put(region, { a: '{"n":2}' });
    await service().send('DELETE', `/${region}/a`);
    await service().send('DELETE', `/${region}/b`);
    const path = `/${region}/_changes?since=0&ops=put,remove&where=${encodeURIComponent('n > 3')}`;
    const large = ['put b 5', 'put a 5', 'remove b'];
    assert.deepEqual((await page(service(), path)).changes.map(short), large);
    const bare = await page(service(), `${path}&include=none`);
    assert.deepEqual(
      bare.changes.map(({ key, op }) => `${op} ${key}`),
      ['put b', 'put a', 'remove b'],
    );
    const old = await page(service(), `${path}&include=old`);
    assert.deepEqual(old.changes.map(short), ['put b 5', 'put a 5 (1)', 'remove b (5)']);
  });

  it('reports values that the history no longer has', async () => {
    const region = await keeping(2);
    for (const n of [1, 2, 3, 4]) await service().put(region, { a: `{"n":${n}}` });
    await service().send('DELETE', `/${region}/a`);
    const feed = `/${region}/_changes?since=0&ops=put,remove`;
    const { changes } = await page(service(), `${feed}&include=old`);
    const [first, second, ...kept] = changes.map(short);
    // An engine that stores values in its log still has them.
    assert.match(first ?? '', /^put a (1|superseded) \(gone\)$/);
    assert.match(second ?? '', /^put a (2|superseded) \(gone\)$/);
    assert.deepEqual(kept, ['put a 3 (gone)', 'put a 4 (3)', 'remove a (4)']);
    await service().put(region, { b: '{"n":1}', c: '{"n":1}', d: '{"n":1}' });
    // The removed value is unknown now, so the removal passes the condition.
    const where = encodeURIComponent('n > 100');
    const filtered = await page(service(), `${feed}&where=${where}`);
    assert.deepEqual(filtered.changes.map(short), ['remove a']);
  });

  it('follows regions with and without history, and marks values that are not kept', async () => {
    const [kept, plain] = [await keeping(), await service().region()];
    const { next } = await page(service(), '/_changes');
    for (const n of [1, 2]) {
      await service().put(kept, { a: `{"n":${n}}` });
      await service().put(plain, { b: `{"n":${n}}` });
    }
    for (const regions of [`&regions=${kept},${plain}`, '']) {
      const path = `/_changes?since=${next}&include=old${regions}`;
      const shown = (await page(service(), path)).changes.map(short);
      assert.match(shown[1] ?? '', /^put b (1|superseded) \(gone\)$/);
      assert.deepEqual(
        [shown[0], shown[2], shown[3]],
        ['put a 1', 'put a 2 (1)', 'put b 2 (gone)'],
      );
    }
    const refused = await service().get(`/_changes?regions=${plain}&include=old`);
    const { code, hint } = JSON.parse(refused.text);
    assert.deepEqual([refused.status, code], [400, 'grid/no-history']);
    assert.match(hint, /history/);
  });
});
