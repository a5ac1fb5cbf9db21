// Unit tests of the change log: when it is trimmed, and what a gap in it means.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ChangeLog, type ChangeLogLimits, checkLastChange } from './change-log.ts';
import { RecordedChanges } from './recorded-changes.ts';
import { createSchema } from './schema.ts';
import { toEngineError } from './sqlite-errors.ts';
import { StatementCache } from './statement-cache.ts';

const HOUR_MS = 3_600_000;

function createLog(limits: Partial<ChangeLogLimits>): {
  readonly database: DatabaseSync;
  readonly log: ChangeLog;
  /** Writes commits of one change each, each in its own transaction, with this time. */
  readonly commit: (count: number, nowMs: number) => void;
  /** The first commit of each row of the log. */
  readonly rows: () => readonly number[];
} {
  const database = new DatabaseSync(':memory:');
  createSchema(database);
  const log = new ChangeLog(database, { maxChanges: 1e6, maxChangeAgeMs: 1e12, ...limits });
  let sequence = 0;
  return {
    database,
    log,
    commit: (count, nowMs) => {
      for (let i = 0; i < count; i++) {
        sequence += 1;
        log.record(sequence, [{ kind: 'clear', region: 'r', key: null }]);
        log.write(nowMs);
      }
    },
    rows: () =>
      database
        .prepare('SELECT sequence FROM changes ORDER BY sequence')
        .all()
        .map((row) => Number(row['sequence'])),
  };
}

function openReader(database: DatabaseSync, latest: number): RecordedChanges {
  return new RecordedChanges({
    statements: new StatementCache(database),
    file: 'file',
    latest: () => latest,
    findRegion: () => undefined,
  });
}

test('changes beyond the age are trimmed after every thousand commits', () => {
  const { commit, rows } = createLog({ maxChangeAgeMs: HOUR_MS });
  commit(10, 0);
  commit(10, HOUR_MS / 2);
  commit(979, HOUR_MS + 1);
  assert.equal(rows()[0], 1, 'nothing yet after 999');
  commit(1, HOUR_MS + 1);
  assert.equal(rows()[0], 11);
  assert.equal(rows().length, 990);
});

test('changes exactly as old as the age are kept', () => {
  const { commit, rows } = createLog({ maxChangeAgeMs: HOUR_MS });
  commit(1, 0);
  commit(999, HOUR_MS);
  assert.equal(rows()[0], 1);
});

test('a clock that was set back keeps changes longer and never splits the log', () => {
  const { commit, rows } = createLog({ maxChangeAgeMs: HOUR_MS });
  commit(10, 5 * HOUR_MS);
  commit(990, HOUR_MS);
  assert.equal(rows()[0], 1);
  commit(1000, 6 * HOUR_MS + 1);
  assert.equal(rows()[0], 1001);
});

test('changes beyond the number are trimmed once there is a tenth too many', () => {
  const { commit, rows, log } = createLog({ maxChanges: 100 });
  commit(110, 0);
  assert.equal(rows().length, 110);
  commit(1, 0);
  assert.deepEqual([rows()[0], rows().length, log.count], [12, 100, 100]);
});

test('a commit with more changes than the limit is kept whole', () => {
  const { database, log } = createLog({ maxChanges: 10 });
  const changes = Array.from({ length: 50 }, (_, i) => `k${i}`);
  for (const sequence of [1, 2]) {
    const logged = changes.map((key) => ({ kind: 'put' as const, region: 'r', key }));
    log.record(sequence, logged);
    log.write(0);
  }
  const outcome = openReader(database, 2).read(1, 10);
  assert.equal(outcome.kind === 'changes' && outcome.changes.length, 50);
  assert.equal(log.count, 50);
});

test('commits written together are read as if written one by one', () => {
  const put = (region: string, key: string) => ({ kind: 'put', region, key }) as const;
  const many = Array.from({ length: 12 }, (_, i) => put('r', `k"${i}é`));
  const commits = [
    ...many.map((change) => [change]),
    [put('other', 'a')],
    ...many.map((change) => [change]),
    many,
    [put('r', 'a'), put('other', 'b')],
    ...many.map(({ region }) => [{ kind: 'clear', region, key: null } as const]),
    [put('r', 'b')],
  ];
  const [together, oneByOne] = [createLog({}), createLog({})];
  for (const [i, changes] of commits.entries()) {
    together.log.record(1 + i, changes);
    oneByOne.log.record(1 + i, changes);
    oneByOne.log.write(5);
    // A commit that was rolled back leaves no rows.
    const { pending } = together.log;
    together.log.record(2 + i, many);
    together.log.undoTo(pending);
  }
  together.log.write(5);
  assert.deepEqual([together.log.count, oneByOne.log.count], [52, 52]);
  assert.deepEqual(together.rows(), [1, 26, 27, 28], 'rows');
  const [reader, expected] = [together, oneByOne].map(({ database }) =>
    openReader(database, commits.length),
  );
  for (let after = 0; after <= commits.length; after += 1) {
    for (const limit of [1, 2, 11, 12, 13, 40, 100]) {
      const page = reader?.read(after, limit);
      assert.deepEqual(page, expected?.read(after, limit));
      assert.ok(page?.kind === 'changes' && (page.through > after || after === commits.length));
    }
  }
});

test('a row has at most a thousand commits', () => {
  const { database, rows, log } = createLog({});
  for (let sequence = 1; sequence <= 2500; sequence += 1) {
    log.record(sequence, [{ kind: 'put', region: 'r', key: `k${sequence}` }]);
  }
  log.write(0);
  assert.deepEqual(rows(), [1, 1001, 2001]);
  const page = openReader(database, 2500).read(990, 20);
  assert.ok(page.kind === 'changes');
  assert.deepEqual(
    page.changes.map(({ key, sequence }) => `${sequence} ${key}`),
    Array.from({ length: 20 }, (_, i) => `${991 + i} k${991 + i}`),
  );
  assert.equal(page.through, 1010);
});

test('an empty log of a store with commits counts as trimmed', () => {
  const { database } = createLog({});
  assert.deepEqual(openReader(database, 7).read(6, 1), {
    kind: 'gone',
    oldest: 7,
    latest: 7,
  });
});

for (const [what, sql] of [
  ['a commit', 'DELETE FROM changes WHERE sequence = 5'],
  ['the last commit', 'DELETE FROM changes WHERE sequence = 10'],
  ['a number', 'UPDATE changes SET sequence = 15 WHERE sequence = 5'],
  ['a first number above none', 'UPDATE changes SET sequence = 0 WHERE sequence = 1'],
  ['the number of commits', 'UPDATE changes SET commits = 2 WHERE sequence = 5'],
  ['a number of changes that can be read', 'UPDATE changes SET count = 1 << 62 WHERE sequence = 5'],
  ['a time', 'UPDATE changes SET at_ms = 1 WHERE sequence = 5'],
  ['a list of changes', 'UPDATE changes SET list = CAST(list AS BLOB) WHERE sequence = 5'],
  ['a checksum', 'UPDATE changes SET seal = seal + 1 WHERE sequence = 5'],
] as const) {
  test(`${what} missing in the log is reported as damage`, () => {
    const { commit, database } = createLog({});
    commit(10, 0);
    database.exec(sql);
    const readOn = (afterSequence: number): unknown =>
      openReader(database, 10).read(afterSequence, 100);
    assert.throws(
      () => [readOn(0), readOn(9)],
      (error) => toEngineError(error, 'file').code === 'engine/store-damaged',
    );
  });
}

test('changes of a future commit are reported as damage', () => {
  const { commit, database } = createLog({});
  assert.doesNotThrow(() => checkLastChange(database, 'file', 0), 'an empty log');
  commit(8, 0);
  assert.doesNotThrow(() => checkLastChange(database, 'file', 8));
  assert.throws(() => checkLastChange(database, 'file', 7), { code: 'engine/store-damaged' });
  database.exec('UPDATE changes SET commits = 0 WHERE sequence = 8');
  assert.throws(() => checkLastChange(database, 'file', 8), { code: 'engine/store-damaged' });
});
