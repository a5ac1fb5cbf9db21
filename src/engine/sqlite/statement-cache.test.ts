import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { StatementCache } from './statement-cache.ts';

/** A cache for so many statements, and how often one was prepared. */
function openCache(context: TestContext, max: number) {
  const database = new DatabaseSync(':memory:');
  context.after(() => database.close());
  const prepare = context.mock.method(database, 'prepare');
  return { cache: new StatementCache(database, max), prepared: () => prepare.mock.callCount() };
}

it('prepares a statement when it is first used, and once', (t) => {
  const { cache, prepared } = openCache(t, 3);
  const statement = cache.lazy('SELECT 1, ?');
  assert.equal(prepared(), 0);
  assert.deepEqual(statement.use().get('a'), [1, 'a']);
  assert.deepEqual(statement.use().get('b'), [1, 'b']);
  assert.equal(prepared(), 1);
});

it('drops a statement that was not used lately when there are too many', (t) => {
  const { cache, prepared } = openCache(t, 3);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => cache.lazy(`SELECT '${name}'`));
  assert.ok(a && b && c && d);
  for (const statement of [a, b, c]) statement.use();
  d.use();
  for (const statement of [b, c, d]) statement.use();
  assert.equal(prepared(), 4);
  assert.deepEqual(a.use().get(), ['a'], 'it is prepared again');
  assert.equal(prepared(), 5);
});

it('keeps a statement that is used between any number of others', (t) => {
  const { cache, prepared } = openCache(t, 4);
  const hot = cache.lazy("SELECT 'hot'");
  for (let i = 0; i < 40; i++) {
    assert.deepEqual(hot.use().get(), ['hot']);
    assert.deepEqual(cache.lazy(`SELECT ${i}`).use().get(), [i]);
  }
  assert.equal(prepared(), 41);
});
