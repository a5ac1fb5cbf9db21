import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { EngineError } from '../errors.ts';
import { encodeKey } from '../key-encoding.ts';
import type { StoreReport } from '../store-report.ts';
import { plainRegion } from '../testing/plain-region.ts';
import { prepareInsertCommits } from './change-rows.ts';
import { checkStore } from './check-store.ts';
import { entriesTable } from './schema.ts';
import { sealEntry } from './seal.ts';
import { openSqliteEngine } from './sqlite-engine.ts';
import { storeFiles } from './store-files.ts';
import { openStoredRegions } from './stored-regions.ts';

const ENTRIES: Readonly<Record<string, string>> = {
  a: '{"n":1}',
  b: '{"n":2.50}',
  'é,/😀': '[{"n":3}]',
  z: `{"text":"${'x'.repeat(9000)}"}`,
};

let directory: string;
let copies = 0;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gridkeep-check-'));
  const engine = await openSqliteEngine({ directory: join(directory, 'model') });
  for (const name of ['plain', 'other']) {
    await engine.createRegion(plainRegion(name));
    const region = await engine.openRegion(name);
    await region?.write(
      Object.entries(ENTRIES).map(([key, value]) => ({ kind: 'put', key, value })),
    );
  }
  await engine.close();
});

after(async () => {
  await rm(directory, { recursive: true });
});

/** A copy of the sound store, changed without the engine. */
function damage(change: (database: DatabaseSync, table: string) => void): string {
  const copy = copyModel();
  const database = new DatabaseSync(storeFiles(copy).data);
  const row = database.prepare("SELECT id FROM regions WHERE name = 'plain'").get();
  change(database, entriesTable(Number(row?.['id'])));
  database.close();
  return copy;
}

function copyModel(): string {
  copies += 1;
  const copy = join(directory, `copy-${copies}`);
  cpSync(join(directory, 'model'), copy, { recursive: true });
  return copy;
}

function check(copy: string): Promise<StoreReport> {
  return checkStore(storeFiles(copy), () => undefined);
}

test('a sound store has no problems, and progress goes from none to all', async () => {
  const seen: string[] = [];
  const files = storeFiles(join(directory, 'model'));
  const report = await checkStore(files, ({ done, total }) => seen.push(`${done}/${total}`));
  assert.deepEqual([report.count, report.shown], [0, []]);
  assert.deepEqual(
    report.regions.map(({ entryCount, name }) => [name, entryCount]),
    [
      ['other', 4],
      ['plain', 4],
    ],
  );
  assert.equal(report.changeCount, 10);
  assert.deepEqual([seen[0], seen.at(-1)], ['0/8', '8/8']);
});

const SOUND_VERSION = 2;

function put(
  database: DatabaseSync,
  table: string,
  entry: { storedKey: string; value: string; version?: number; seal?: string },
): void {
  const { storedKey, value, version = SOUND_VERSION } = entry;
  const seal = entry.seal ?? sealEntry(storedKey, value, version);
  database
    .prepare(`INSERT OR REPLACE INTO ${table}("key", version, seal, value) VALUES(?, ?, ?, ?)`)
    .run(storedKey, version, seal, value);
}

const CLEAR = { kind: 'clear', region: 'plain', key: null } as const;

const DAMAGES: readonly (readonly [
  string,
  (database: DatabaseSync, table: string) => void,
  RegExp,
])[] = [
  [
    'a changed value',
    (database, table) => database.exec(`UPDATE ${table} SET value = '{"n":7}' WHERE "key" = 'a'`),
    /^region plain: key "a": fails its checksum$/,
  ],
  [
    'an empty seal',
    (database, table) => database.exec(`UPDATE ${table} SET seal = '' WHERE "key" = 'a'`),
    /^region plain: key "a": fails its checksum$/,
  ],
  [
    'a version of a future commit',
    (database, table) => put(database, table, { storedKey: 'a', value: '{"n":1}', version: 999 }),
    /^region plain: key "a": has version 999, which is not that of a commit$/,
  ],
  [
    'a sealed value that is not JSON',
    (database, table) => put(database, table, { storedKey: 'a', value: '{"n":1,' }),
    /^region plain: key "a": is not JSON/,
  ],
  [
    'a sealed value with blanks',
    (database, table) => put(database, table, { storedKey: 'a', value: '{"n": 1}' }),
    /^region plain: key "a": is not compact JSON$/,
  ],
  [
    'a sealed value that is a number',
    (database, table) => put(database, table, { storedKey: 'a', value: '1234567' }),
    /^region plain: key "a": is a JSON number, not an object$/,
  ],
  [
    'a column of another type',
    (database, table) => database.exec(`UPDATE ${table} SET value = x'00' WHERE "key" = 'a'`),
    /^region plain: entry 1 has a column of the wrong type, or has lost its large value$/,
  ],
  [
    'a key that is stored without encoding',
    (database, table) => put(database, table, { storedKey: '😀', value: '{"n":1}' }),
    /^region plain: key .*: is not a validly encoded key$/,
  ],
  [
    'a missing entry',
    (database, table) => database.exec(`DELETE FROM ${table} WHERE "key" = 'a'`),
    /^region plain: has 3 entries but states 4$/,
  ],
  [
    'an entry too many',
    (database, table) => put(database, table, { storedKey: encodeKey('new'), value: '{}' }),
    /^region plain: has 5 entries but states 4$/,
  ],
  [
    'counts that were changed',
    (database) => database.exec("UPDATE regions SET entry_count = 9 WHERE name = 'plain'"),
    /^region \(plain\) fails its checksum$/,
  ],
  [
    'a sequence that was set back',
    (database) => database.exec('UPDATE store SET sequence = 1'),
    /^its state fails its checksum$/,
  ],
  [
    'a newer format',
    (database) => database.exec('PRAGMA user_version = 999'),
    /^it has format 999; this gridkeep knows formats up to \d+$/,
  ],
  [
    'an unknown table',
    (database) => database.exec('CREATE TABLE more(a)'),
    /^its tables are not those of a gridkeep store$/,
  ],
  [
    'a change of a commit that does not exist',
    (database) => prepareInsertCommits(database)([{ sequence: 999, changes: [CLEAR] }], 1),
    /^change log: commit 999 is not one of commits 1 to 4$/,
  ],
  [
    'a change that is missing',
    (database) => database.exec('DELETE FROM changes WHERE sequence = 2'),
    /^change log: commit 3 follows commit 1$/,
  ],
  [
    'the last change that is missing',
    (database) => database.exec('DELETE FROM changes WHERE sequence = 4'),
    /^change log: ends with commit 3, but the store with commit 4$/,
  ],
  [
    'a change that was altered',
    (database) =>
      database.exec("UPDATE changes SET list = replace(list, 'put', 'pit') WHERE sequence = 2"),
    /^change log: the row of commit 2 fails its checksum$/,
  ],
];

for (const [title, change, finding] of DAMAGES) {
  test(`${title} is found`, async () => {
    const { count, shown } = await check(damage(change));
    assert.ok(count > 0);
    assert.ok(
      shown.some((text) => finding.test(text)),
      shown.join('\n'),
    );
  });
}

test('fifty findings are shown, and all are counted', async () => {
  const { count, shown } = await check(
    damage((database, table) => {
      for (let i = 0; i < 80; i += 1) {
        put(database, table, { storedKey: `k${i}`, value: '{}', seal: 'x' });
      }
    }),
  );
  assert.equal(shown.length, 50);
  assert.ok(count >= 82);
});

test('a store with any changed byte is reported, or still has every entry', async () => {
  const model = readFileSync(storeFiles(join(directory, 'model')).data);
  const expected = readAll(join(directory, 'model'));
  let reported = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(model.length - 1),
      fc.integer({ min: 1, max: 255 }),
      async (at, flip) => {
        const copy = copyModel();
        const bytes = Buffer.from(model);
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        writeFileSync(storeFiles(copy).data, bytes);
        const { count } = await check(copy);
        if (count > 0) reported += 1;
        else assert.deepEqual(readAll(copy), expected);
      },
    ),
    { numRuns: shareOfRuns(500) },
  );
  assert.ok(reported > 20, `only ${reported} were reported`);
});

function readAll(copy: string): unknown {
  const { close, entries, regions } = openStoredRegions(copy);
  try {
    return regions.map((region) => [region, [...entries(region.name)]]);
  } finally {
    close();
  }
}

test('an export refuses a store with a lost region or a value that is not text', () => {
  const lost = damage((database) => database.exec("DELETE FROM regions WHERE name = 'other'"));
  assert.throws(() => readAll(lost), isDamage);
  const typed = damage((database, table) =>
    database.exec(`UPDATE ${table} SET value = CAST(value AS BLOB) WHERE "key" = 'b'`),
  );
  assert.throws(() => readAll(typed), isDamage);
});

test('a store with changes of a future commit is not opened', async () => {
  const copy = damage((database) =>
    prepareInsertCommits(database)([{ sequence: 5, changes: [CLEAR] }], 1),
  );
  await assert.rejects(openSqliteEngine({ directory: copy }), isDamage);
});

test('a writer overwrites no entry whose damaged key equals another key', async () => {
  const copy = damage((database, table) =>
    database.exec(`UPDATE ${table} SET "key" = 'c' WHERE "key" = 'b'`),
  );
  const engine = await openSqliteEngine({ directory: copy });
  try {
    const region = await engine.openRegion('plain');
    for (const change of [
      { kind: 'put', key: 'c', value: '{}' },
      { kind: 'remove', key: 'c' },
      { kind: 'remove', key: 'b' },
      { kind: 'put', key: 'b', value: '{}' },
    ] as const) {
      await assert.rejects(async () => region?.write([change]), isDamage);
    }
  } finally {
    await engine.close();
  }
});

function isDamage(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'engine/store-damaged';
}
