import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Client } from 'pg';
import { Follower } from './follower.ts';
import type { Link } from './link.ts';
import type { StoreState } from './store-state.ts';
import type { WakeUp } from './wake-up.ts';

const MIB = 1024 * 1024;

/** A follower of a log of large values, and the number of rows in each page that it reads. */
function openFollower(commits: number): {
  readonly follower: Follower;
  readonly pages: readonly number[];
} {
  const pages: number[] = [];
  const value = 'v'.repeat(MIB);
  const query = async ({ values }: { readonly values?: readonly [number, number] }) => {
    if (values === undefined) return { rows: [['timeline']] };
    const [after, limit] = values;
    const length = Math.min(limit, commits - after);
    pages.push(length);
    const toRow = (_: unknown, i: number) => [after + i + 1, 0, 0, 1, 'orders', '["k"]', value];
    return { rows: Array.from({ length }, toRow) };
  };
  const state = {
    sequence: 0,
    apply: (row: { readonly sequence: number }) => {
      state.sequence = row.sequence;
    },
  };
  // The parts of a link, a wake-up and a state that a follower uses.
  const link = { read: (work: (client: unknown) => unknown) => work({ query }) } as unknown as Link;
  const wakeUp = { listen: async () => undefined } as unknown as WakeUp;
  const followed = { state: state as unknown as StoreState, timeline: 'timeline' };
  return { follower: new Follower(link, wakeUp, followed), pages };
}

it('reads what it missed in a pause in pages of bounded size', async (context) => {
  const { follower, pages } = openFollower(50);
  const now = performance.now();
  context.mock.method(performance, 'now', () => now + 60_000);
  await follower.catchUpAfterPause();
  assert.equal(follower.state.sequence, 50);
  assert.ok(Math.max(...pages) <= 4, `${pages}`);
});

it('reads the log in one page if there was no pause', async () => {
  const { follower, pages } = openFollower(50);
  await follower.catchUpAfterPause();
  assert.deepEqual(pages, []);
  await follower.catchUp();
  assert.deepEqual(pages, [50]);
});

it('drops its caches for another store, also if its first attempt fails', async () => {
  let timeline = 'first';
  let isDown = false;
  const query = async (statement: string | { readonly text: string }) => {
    const text = typeof statement === 'string' ? statement : statement.text;
    if (text.includes('pg_walfile_name')) return { rows: [[timeline]] };
    if (isDown) throw new Error('Connection terminated unexpectedly');
    return { rows: text.startsWith('SELECT sequence, position') ? [['7', '7']] : [] };
  };
  // Each use has a connection of its own. The parts of a link, a wake-up and a state that are used.
  const link = { read: (work: (client: unknown) => unknown) => work({ query }) } as unknown as Link;
  const wakeUp = { listen: async () => undefined } as unknown as WakeUp;
  const state = { sequence: 20 } as unknown as StoreState;
  const follower = new Follower(link, wakeUp, { state, timeline });
  const resets: number[] = [];
  follower.subscribe({ onCommit: () => undefined, onReset: (sequence) => resets.push(sequence) });
  await follower.catchUp();
  timeline = 'second';
  isDown = true;
  await assert.rejects(follower.catchUp());
  assert.deepEqual(resets, []);
  isDown = false;
  // The connection that writes sees it at the same time.
  const writer = { query } as unknown as Client;
  await Promise.all([follower.catchUp(), follower.checkTimeline(writer)]);
  await follower.catchUp();
  assert.deepEqual(resets, [7]);
  assert.equal(follower.state.sequence, 7);
});
