import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../src/value/testing/any-character.ts';
import { shareOfRuns } from '../../../src/value/testing/share-of-runs.ts';
import { listBranches, type ReadKeys, successor } from './prefix-tree.ts';

/** Reads from a sorted list, as the service does. */
function readerOf(keys: readonly string[]) {
  const sorted = [...new Set(keys)].sort();
  let requests = 0;
  const read: ReadKeys = async ({ after, count, from, limit, order, prefix }) => {
    requests += 1;
    const all = sorted.filter((key) => key.startsWith(prefix));
    const page = all.filter(
      (key) => (from === undefined || key >= from) && (after === undefined || key > after),
    );
    if (order === 'desc') page.reverse();
    return { keys: page.slice(0, limit), total: count === 'exact' ? all.length : undefined };
  };
  return { read, sorted, requests: () => requests };
}

test('few keys are shown as they are', async () => {
  const { read } = readerOf(['b', 'a']);
  assert.deepEqual(await listBranches(read, ''), {
    branches: [
      { kind: 'key', key: 'a' },
      { kind: 'key', key: 'b' },
    ],
    isCut: false,
  });
});

test('branches are named by what their keys have in common, and cost little', async () => {
  const users = Array.from({ length: 5000 }, (_, i) => `user:${i}`);
  const web = Array.from({ length: 300 }, (_, i) => `web/session/${i + 1000}`);
  const { read, requests } = readerOf([...users, ...web, 'admin']);
  assert.deepEqual((await listBranches(read, '')).branches, [
    { kind: 'key', key: 'admin' },
    { kind: 'group', prefix: 'user:', count: 5000 },
    { kind: 'group', prefix: 'web/session/1', count: 300 },
  ]);
  assert.ok(requests() <= 12, `${requests()} requests`);
  const inner = (await listBranches(read, 'user:')).branches;
  assert.equal(inner.length, 10);
  assert.deepEqual(inner[1], { kind: 'group', prefix: 'user:1', count: 1111 });
  assert.deepEqual((await listBranches(read, 'user:1')).branches[0], {
    kind: 'key',
    key: 'user:1',
  });
});

test('every key is in exactly one branch, whatever its characters are', async () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 120, maxLength: 200 }), async (keys) => {
      const { read, sorted } = readerOf(keys.filter((key) => key.isWellFormed()));
      const { branches, isCut } = await listBranches(read, '');
      if (isCut) return;
      const covered = branches.flatMap((branch) =>
        branch.kind === 'key'
          ? [branch.key]
          : sorted.filter((key) => key.startsWith(branch.prefix)),
      );
      assert.deepEqual(covered.sort(), sorted);
    }),
    { numRuns: shareOfRuns(150) },
  );
});

test('a successor is the first text after all texts with the prefix', () => {
  assert.equal(successor('a'), 'b');
  assert.equal(successor('\ud7ff'), '\u{10000}');
  assert.equal(successor('\u{10ffff}'), '\ue000');
  assert.equal(successor('x\uffff'), undefined);
  const character = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 });
  fc.assert(
    fc.property(character, character, (a, b) => {
      const next = successor(a);
      if (next === undefined || a === b) return;
      assert.equal(b > a, b >= next);
    }),
  );
});
