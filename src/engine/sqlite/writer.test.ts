// One request of a batch fails: that must not affect the others.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { Change } from '../engine.ts';
import { plainRegion } from '../testing/plain-region.ts';
import { checkStore } from './check-store.ts';
import { entriesTable } from './schema.ts';
import { storeFiles } from './store-files.ts';
import type { StoreReply, StoreRequest } from './store-request.ts';
import { Writer } from './writer.ts';

const DEFINITION = plainRegion('orders');

/** A store whose statements fail for the key `bad` and for the region `bad`. */
function openWriter(context: TestContext): { readonly writer: Writer; readonly directory: string } {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-writer-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const options = { directory, durability: 'relaxed', testing: {} } as const;
  const first = new Writer({ ...options, maxChanges: 1000, maxChangeAgeMs: 1e9 });
  first.run([{ kind: 'create-region', definition: DEFINITION }]);
  first.close();
  const database = new DatabaseSync(storeFiles(directory).data);
  const refuse = "BEGIN SELECT raise(ABORT, 'refused by a trigger'); END";
  database.exec(
    `CREATE TRIGGER t1 BEFORE INSERT ON ${entriesTable(1)} WHEN new."key" = 'bad' ${refuse}`,
  );
  database.exec(`CREATE TRIGGER t2 BEFORE INSERT ON regions WHEN new.name = 'bad' ${refuse}`);
  database.close();
  const writer = new Writer({ ...options, maxChanges: 1000, maxChangeAgeMs: 1e9 });
  return { writer, directory };
}

function write(...keys: readonly string[]): StoreRequest {
  const changes = keys.map((key): Change => ({ kind: 'put', key, value: '{}' }));
  return { kind: 'write', region: 'orders', regionId: 1, changes, guards: [] };
}

function outcomesOf(replies: readonly StoreReply[]): readonly unknown[] {
  return replies.map((reply) => (reply.kind === 'done' ? reply.sequence : reply.error.code));
}

test('a failing statement undoes its whole request, no other one, and uses no sequence', async (t) => {
  const { writer, directory } = openWriter(t);
  const answer = writer.run([
    write('a'),
    write('b', 'bad', 'c'),
    { kind: 'create-region', definition: { ...DEFINITION, name: 'bad' } },
    write('d', 'e'),
  ]);
  assert.deepEqual(outcomesOf(answer.replies), [
    2,
    'engine/store-damaged',
    'engine/store-damaged',
    3,
  ]);
  assert.equal(answer.failure, undefined, 'the disk is not to blame');
  assert.deepEqual(outcomesOf(writer.run([write('f')]).replies), [4]);
  assert.deepEqual(
    writer.regionRows().map(({ definition, entryCount }) => [definition.name, entryCount]),
    [['orders', 4]],
  );
  writer.close();

  const database = new DatabaseSync(storeFiles(directory).data, { readOnly: true });
  const keys = database.prepare(`SELECT "key", version FROM ${entriesTable(1)}`).all();
  assert.deepEqual(
    keys.map((row) => `${row['key']}${row['version']}`),
    ['a2', 'd3', 'e3', 'f4'],
  );
  database.close();
  const report = await checkStore(storeFiles(directory), () => undefined);
  assert.deepEqual([report.shown, report.changeCount], [[], 5]);
});

test('many puts in one request have the same counters as single puts', async (t) => {
  const { writer, directory } = openWriter(t);
  const keys = Array.from({ length: 100 }, (_, i) => `k${(i * 37) % 100}`);
  const [first, second] = [keys.slice(0, 70), keys.slice(30)];
  const answer = writer.run([write(...first), write(...second), write('a', 'b')]);
  assert.deepEqual(outcomesOf(answer.replies), [2, 3, 4]);
  const [row] = writer.regionRows();
  assert.deepEqual([row?.entryCount, row?.valueBytes, row?.largestValue], [102, 204, 2]);
  // One failing put of a request undoes them all.
  const failed = writer.run([write('z', ...first, 'bad'), write('z')]);
  assert.deepEqual(outcomesOf(failed.replies), ['engine/store-damaged', 5]);
  writer.close();
  // Digest, counters and change log are compared with the entries.
  const report = await checkStore(storeFiles(directory), () => undefined);
  assert.deepEqual([report.shown, report.changeCount], [[], 144]);
});

test('a failing put does not affect the other puts of its batch', async (t) => {
  const { writer, directory } = openWriter(t);
  const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
  const before = keys.slice(0, 10).map((key) => write(key));
  const after = keys.slice(5).map((key) => write(key));
  const answer = writer.run([...before, write('bad'), ...after]);
  const expected = [...before.map((_, i) => 2 + i), 'engine/store-damaged'];
  assert.deepEqual(outcomesOf(answer.replies), [...expected, ...after.map((_, i) => 12 + i)]);
  assert.equal(answer.sequence, 26);
  const [row] = writer.regionRows();
  assert.deepEqual([row?.entryCount, row?.valueBytes], [20, 40]);
  assert.deepEqual(answer.counters.slice(1, 3), [20, 40]);
  writer.close();
  const report = await checkStore(storeFiles(directory), () => undefined);
  assert.deepEqual([report.shown, report.changeCount], [[], 26]);
});
