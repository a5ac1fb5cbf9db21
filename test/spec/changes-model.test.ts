// Compares feeds with a model of every change: in every format, with and without values and history,
// with filters, over commits of all sizes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Change } from '../../src/engine/engine.ts';
import { FeedClient } from '../feed-client.ts';
import { json } from '../http-client.ts';
import { API, onEveryEngine, type Service } from '../service.ts';

/** A change as the test made it. */
interface Made {
  readonly sequence: number;
  readonly op: 'put' | 'remove';
  readonly key: string;
  readonly value: string | undefined;
  readonly before: string | undefined;
  /** Whether the entry still has this value. */
  readonly isCurrent: boolean;
}

interface View {
  readonly query: string;
  readonly isShown?: (change: Made) => boolean;
  /** A condition on values. */
  readonly where?: (value: string) => boolean;
  readonly include?: 'none' | 'old';
}

const above = (least: number) => (value: string) => JSON.parse(value).n > least;

const VIEWS: readonly View[] = [
  { query: '' },
  { query: '&include=none', include: 'none' },
  { query: '&ops=remove', isShown: ({ op }) => op === 'remove' },
  { query: '&keys=k1,k2,é', isShown: ({ key }) => ['k1', 'k2', 'é'].includes(key) },
  { query: '&prefix=many-1', isShown: ({ key }) => key.startsWith('many-1') },
  { query: '&where=n > 500', where: above(500) },
  {
    query: '&where=n > 100&ops=put&include=none',
    isShown: ({ op }) => op === 'put',
    where: above(100),
    include: 'none',
  },
];
const OLD_VALUES: readonly View[] = [
  { query: '&include=old', include: 'old' },
  {
    query: '&include=old&where=n <= 300',
    where: (value) => !above(300)(value),
    include: 'old',
  },
];

/** The same numbers in every run. */
function* choices(): Generator<number, never> {
  for (let state = 7; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield (state >>> 8) / 2 ** 24;
  }
}

/** Makes commits of one, some, and more changes than a page has, with small and large values. */
async function fill({ engine }: Service, region: string): Promise<readonly Made[]> {
  const random = choices();
  const below = (limit: number): number => Math.floor(random.next().value * limit);
  const entries = new Map<string, { readonly value: string; readonly made: number }>();
  const made: (Made & { isCurrent: boolean })[] = [];
  for (let commit = 0; commit < 45; commit++) {
    const keys = commit % 20 === 9 ? many(260 + below(90)) : some(1 + below(6), below);
    const changes = keys.map((key): Change => {
      if (entries.has(key) && below(4) === 0) return { kind: 'remove', key };
      const pad = below(12) === 0 ? 'é€'.repeat(2_500) : '';
      return { kind: 'put', key, value: `{"n":${below(1_000)}.0,"pad":"${pad}"}` };
    });
    const outcome = await engine.commit([{ region, changes }]);
    assert.ok(outcome.kind === 'committed');
    for (const change of changes) {
      const value = change.kind === 'put' ? change.value : undefined;
      const last = entries.get(change.key);
      const overwritten = last && made[last.made];
      if (overwritten !== undefined) overwritten.isCurrent = false;
      if (value === undefined) entries.delete(change.key);
      else entries.set(change.key, { value, made: made.length });
      made.push({
        sequence: outcome.version,
        op: value === undefined ? 'remove' : 'put',
        key: change.key,
        value,
        before: last?.value,
        isCurrent: value !== undefined,
      });
    }
  }
  return made;
}

function many(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `many-${i}`);
}

function some(count: number, below: (limit: number) => number): readonly string[] {
  const names = ['k1', 'k2', 'k3', 'é', '"', 'many-1', 'many-12', '\u{1F600}'];
  return [...new Set(Array.from({ length: count }, () => names[below(names.length)] ?? ''))];
}

interface Kept {
  readonly region: string;
  readonly hasHistory: boolean;
  /** Whether the value of a put is known after it was overwritten. */
  readonly keepsPuts: boolean;
}

/** The lines of a view, without their times. */
function print(
  made: readonly Made[],
  { include, isShown = () => true, where }: View,
  { hasHistory, keepsPuts, region }: Kept,
): readonly { readonly change: Made; readonly line: string }[] {
  const shown = made.filter((change) => {
    const { before, isCurrent, op, value } = change;
    if (!isShown(change)) return false;
    if (where === undefined) return true;
    // Without history the value before a removal is unknown.
    if (op === 'remove') return !hasHistory || where(before ?? '');
    return (keepsPuts || isCurrent) && where(value ?? '');
  });
  return shown.map((change) => {
    const { before, isCurrent, key, op, sequence, value } = change;
    const isKnown = keepsPuts || isCurrent;
    const put = isKnown ? `,"value":${value}` : ',"superseded":true';
    const old = include === 'old' && before !== undefined ? `,"old":${before}` : '';
    const values = include === 'none' ? '' : `${op === 'put' ? put : ''}${old}`;
    const line = `{"sequence":${sequence},"region":"${region}","op":"${op}","key":${JSON.stringify(key)},"version":${sequence}${values}}`;
    return { change, line };
  });
}

const withoutTime = (line: string): string => line.replace(/"time":"[^"]+Z",/, '');

async function follow(
  service: Service,
  accept: string,
  path: string,
  count: number,
): Promise<readonly string[]> {
  using client = await FeedClient.open(accept, { port: service.port, path: `${API}${path}` });
  const blocks: string[] = [];
  while (blocks.length < count) {
    const event = await client.event();
    assert.ok(event !== undefined, `the feed ended: ${client.text.slice(-500)}`);
    blocks.push(withoutTime(event.text));
  }
  const last = await client.next();
  assert.equal(last?.data, undefined, 'only a heartbeat follows');
  return blocks;
}

onEveryEngine('Change feed beside a model', (service, engine) => {
  for (const hasHistory of [false, true]) {
    const title = hasHistory ? 'with history' : 'without history';
    it(`sends all changes in every format for a region ${title}`, async () => {
      const settings = hasHistory ? { settings: { history: { count: 100_000 } } } : {};
      const region = await service().region({}, settings);
      const since = service().engine.stats().sequence;
      const made = await fill(service(), region);
      // The log of PostgreSQL has the values of all puts.
      const keepsPuts = hasHistory || engine === 'postgres';
      for (const view of hasHistory ? [...VIEWS, ...OLD_VALUES] : VIEWS) {
        const expected = print(made, view, { hasHistory, keepsPuts, region });
        const lines = expected.map(({ line }) => line);
        assert.ok(lines.length > 0, `${view.query} shows something`);
        const path = `/${region}/_changes?since=${since}${encodeURI(view.query)}&heartbeat=0.1`;
        const ndjson = await follow(service(), 'application/x-ndjson', path, lines.length);
        assert.deepEqual(ndjson, lines, `lines of ${view.query}`);
        const events = await follow(service(), 'text/event-stream', path, lines.length);
        const blocks = expected.map(({ change: { op, sequence }, line }, i) => {
          const isLast = expected[i + 1]?.change.sequence !== sequence;
          return `event: ${op}\n${isLast ? `id: ${sequence}\n` : ''}data: ${line}`;
        });
        assert.deepEqual(events, blocks, `events of ${view.query}`);
        assert.deepEqual(
          await readPages(service(), path),
          lines.map((line) => JSON.parse(line)),
          `pages of ${view.query}`,
        );
      }
    });
  }
});

/** All changes in pages that are smaller than some commits, without their times. */
async function readPages(service: Service, path: string): Promise<readonly unknown[]> {
  const changes: unknown[] = [];
  for (let address = `${path}&limit=200`; ; ) {
    const answer = await service.get(address);
    assert.equal(answer.status, 200, answer.text);
    const page = json(answer) as { readonly changes: readonly { readonly time: string }[] };
    if (page.changes.length === 0) return changes;
    changes.push(...page.changes.map(({ time, ...change }) => change));
    const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1] ?? '';
    const { pathname, search } = new URL(link);
    address = `${pathname.slice(API.length)}${search}`;
  }
}
