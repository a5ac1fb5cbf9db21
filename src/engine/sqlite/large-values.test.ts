// Every large value has one row of `large_values`, whatever is written; damage of these rows, and of
// the references to them, is reported and spreads to no other entry.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import type { Change, Engine, Region } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { plainRegion } from '../testing/plain-region.ts';
import { acceptLoss } from './accept-loss.ts';
import { checkStore } from './check-store.ts';
import { backupStore, restoreStore } from './copy-store.ts';
import { INLINE_BYTES } from './large-values.ts';
import { openSqliteEngine } from './sqlite-engine.ts';
import { storeFiles } from './store-files.ts';
import { openStoredRegions } from './stored-regions.ts';

const root = mkdtempSync(join(tmpdir(), 'gridkeep-large-'));
let directories = 0;

after(() => rmSync(root, { recursive: true }));

/** A value of exactly this many bytes; some characters take two. */
function sized(bytes: number, text = 'é'): string {
  const room = bytes - '{"s":""}'.length - Buffer.byteLength(text);
  return `{"s":"${text}${'x'.repeat(room)}"}`;
}

const SMALL = '{"n":1}';
const INLINE = sized(INLINE_BYTES);
const LARGE = sized(INLINE_BYTES + 1);
const OTHER_LARGE = sized(INLINE_BYTES + 1, 'other');
const HUGE = sized(100_000);

const put = (key: string, value: string): Change => ({ kind: 'put', key, value });
const remove = (key: string): Change => ({ kind: 'remove', key });

function newDirectory(): string {
  directories += 1;
  return join(root, String(directories));
}

/** Runs the work in a new store, and returns its directory. */
async function inStore(
  work: (region: Region, engine: Engine) => Promise<unknown>,
  directory = newDirectory(),
): Promise<string> {
  const engine = await openSqliteEngine({ directory, durability: 'relaxed' });
  try {
    await engine.createRegion(plainRegion('orders'));
    const region = await engine.openRegion('orders');
    assert.ok(region !== undefined);
    await work(region, engine);
  } finally {
    await engine.close();
  }
  return directory;
}

function change(directory: string, sql: string): string {
  const database = new DatabaseSync(storeFiles(directory).data);
  database.exec(sql);
  database.close();
  return directory;
}

function countRows(directory: string): number {
  const database = new DatabaseSync(storeFiles(directory).data);
  const row = database.prepare('SELECT count(*) AS count FROM large_values').get();
  database.close();
  return Number(row?.['count']);
}

async function findProblems(directory: string): Promise<readonly string[]> {
  return (await checkStore(storeFiles(directory), () => undefined)).shown;
}

const MANY = Array.from({ length: 40 }, (_, i) => `k${i}`);

const CASES: readonly {
  readonly name: string;
  readonly work: (region: Region, engine: Engine) => Promise<unknown>;
  readonly rows: number;
}[] = [
  {
    name: 'values of the largest inline size and one byte more',
    work: (region) => region.write([put('a', INLINE), put('b', LARGE)]),
    rows: 1,
  },
  {
    name: 'a large value over a large one, of the same and another size',
    work: async (region) => {
      for (const value of [LARGE, OTHER_LARGE, HUGE, LARGE]) await region.write([put('a', value)]);
      assert.equal((await region.read(['a']))[0]?.value, LARGE);
    },
    rows: 1,
  },
  {
    name: 'a small value over a large one, and a large one over it',
    work: async (region) => {
      await region.write([put('a', LARGE), put('b', LARGE)]);
      await region.write([put('a', SMALL)]);
      await region.write([put('b', SMALL)]);
      assert.equal((await region.read(['a']))[0]?.value, SMALL);
      await region.write([put('b', HUGE)]);
    },
    rows: 1,
  },
  {
    name: 'a large value that is removed, and one that expires',
    work: async (region) => {
      await region.write([put('a', LARGE), put('b', LARGE), put('c', LARGE)]);
      await region.write([remove('a')]);
      const [entry] = await region.read(['b']);
      await region.write([{ kind: 'expire', key: 'b', version: entry?.version ?? 0 }]);
      assert.deepEqual(await region.read(['a', 'b']), [undefined, undefined]);
    },
    rows: 1,
  },
  {
    name: 'an expiry of an entry that was written since',
    work: async (region) => {
      await region.write([put('a', LARGE)]);
      await region.write([{ kind: 'expire', key: 'a', version: 1 }]);
    },
    rows: 1,
  },
  {
    name: 'a compare-and-set that fails, and one that succeeds',
    work: async (region) => {
      await region.write([put('a', LARGE)]);
      const [entry] = await region.read(['a']);
      const guard = (version: number) => [
        { kind: 'version-is', key: 'a', versions: [version] } as const,
      ];
      const failed = await region.write([put('a', HUGE), put('b', HUGE)], guard(1));
      assert.notEqual(failed.kind, 'committed');
      await region.write([put('a', OTHER_LARGE)], guard(entry?.version ?? 0));
    },
    rows: 1,
  },
  {
    name: 'many puts of one request, then of other sizes',
    work: async (region) => {
      await region.write(MANY.map((key, i) => put(key, i % 2 === 0 ? LARGE : SMALL)));
      await region.write(MANY.map((key, i) => put(key, i % 3 === 0 ? OTHER_LARGE : SMALL)));
    },
    rows: 14,
  },
  {
    name: 'puts that the writer runs as one batch',
    work: async (region) => {
      for (const value of [LARGE, SMALL, OTHER_LARGE]) {
        await Promise.all(MANY.map((key) => region.write([put(key, value)])));
      }
    },
    rows: 40,
  },
  {
    name: 'a region that is cleared, beside another one',
    work: async (region, engine) => {
      await engine.createRegion(plainRegion('items'));
      const items = await engine.openRegion('items');
      await items?.write([put('a', LARGE)]);
      await region.write(MANY.map((key) => put(key, LARGE)));
      await region.clear();
      await region.write([put('a', OTHER_LARGE)]);
      assert.equal((await items?.read(['a']))?.[0]?.value, LARGE);
    },
    rows: 2,
  },
  {
    name: 'a region that is destroyed, and one that takes its name',
    work: async (region, engine) => {
      await region.write(MANY.map((key) => put(key, LARGE)));
      await engine.destroyRegion('orders');
      await engine.createRegion(plainRegion('orders'));
      await (await engine.openRegion('orders'))?.write([put('a', LARGE)]);
    },
    rows: 1,
  },
  {
    name: 'a region of type EMPTY',
    work: async (_, engine) => {
      await engine.createRegion({ ...plainRegion('nothing'), type: 'EMPTY' });
      await (await engine.openRegion('nothing'))?.write([put('a', LARGE)]);
    },
    rows: 0,
  },
  {
    name: 'a region with history that keeps two changes, and loses its history',
    work: async (region, engine) => {
      await engine.alterRegion('orders', { history: { ageMs: null, count: 2 } });
      for (let i = 0; i < 6; i += 1) await region.write([put('a', sized(1000 + i))]);
      await region.clear();
      await region.write([put('b', LARGE)]);
      assert.deepEqual(await region.read(['a']), [undefined]);
      await engine.alterRegion('orders', { history: null });
    },
    rows: 1,
  },
  {
    name: 'a commit that is rolled back',
    work: async (region, engine) => {
      await region.write([put('a', LARGE)]);
      const write = { region: 'orders', changes: [put('a', SMALL), put('b', LARGE)], guards: [] };
      await engine.commit([{ ...write, reads: [] }], 'roll-back');
      assert.equal((await region.read(['a']))[0]?.value, LARGE);
      await region.write([put('c', LARGE)]);
    },
    rows: 2,
  },
];

describe('a large value has one row', () => {
  for (const { name, rows, work } of CASES) {
    it(`after ${name}`, async () => {
      const directory = await inStore(work);
      assert.equal(countRows(directory), rows);
      assert.deepEqual(await findProblems(directory), []);
    });
  }

  it('in a backup and a store that was restored from it, whose exports are the same', async () => {
    const source = await inStore((region) => region.write([put('a', LARGE), put('b', HUGE)]));
    const options = { existing: 'refuse', onProgress: () => undefined } as const;
    const backup = join(root, 'backup.db');
    assert.equal((await backupStore(storeFiles(source), backup, options)).kind, 'copied');
    const target = newDirectory();
    assert.equal((await restoreStore(backup, storeFiles(target), options)).kind, 'restored');
    for (const directory of [source, target]) {
      const stored = openStoredRegions(directory);
      const values = [...stored.entries('orders')].map(({ value }) => value);
      stored.close();
      assert.deepEqual(values, [LARGE, HUGE]);
    }
  });
});

describe('damage of large values', () => {
  const DAMAGES = [
    {
      name: 'a row that is missing',
      sql: 'DELETE FROM large_values WHERE id = 1',
      finding: /entry 1 has a column of the wrong type, or has lost its large value/,
    },
    {
      name: 'a reference to the row of another entry',
      sql: `UPDATE entries_1 SET value = CAST('2' AS BLOB) WHERE "key" = 'a'`,
      finding: /key "a": refers to a large value with another checksum/,
    },
    {
      name: 'a value that was altered',
      sql: `UPDATE large_values SET value = replace(value, 'é', 'ee') WHERE id = 1`,
      finding: /key "a": fails its checksum/,
    },
  ];

  async function createStore(): Promise<string> {
    return inStore((region) =>
      region.write([put('a', LARGE), put('b', OTHER_LARGE), put('c', SMALL)]),
    );
  }

  for (const { finding, name, sql } of DAMAGES) {
    it(`is refused by every read and found by a check: ${name}`, async () => {
      const directory = await createStore();
      const engine = await openSqliteEngine({ directory, durability: 'relaxed' });
      // The engine is open: its start would refuse the store.
      change(directory, sql);
      try {
        const region = await engine.openRegion('orders');
        assert.ok(region !== undefined);
        // The first write moves the readers to a commit after the damage.
        await region.write([put('d', SMALL)]);
        const reads: readonly (() => unknown)[] = [
          () => region.read(['a']),
          () => region.read(['a', 'b', 'c', 'd', 'e', 'f']),
          () => region.readTogether(['a', 'c']),
          () => region.readFirst(2),
          () => collect(engine, {}),
          () => collect(engine, { order: 'desc' }),
          () => readNext(engine),
          () => engine.readChanges(0, 10, { values: 'kept' }),
        ];
        for (const read of reads) {
          await assert.rejects(async () => {
            await read();
          }, isDamage);
        }
        assert.equal((await region.read(['b']))[0]?.value, OTHER_LARGE);
        assert.equal((await region.read(['c']))[0]?.value, SMALL);
      } finally {
        await engine.close();
      }
      assert.match((await findProblems(directory)).join('\n'), finding);
    });
  }

  it('changes no other entry when the damaged one is written, removed or cleared', async () => {
    const directory = await createStore();
    const engine = await openSqliteEngine({ directory, durability: 'relaxed' });
    await engine.createRegion(plainRegion('items'));
    const items = await engine.openRegion('items');
    await items?.write([put('a', HUGE)]);
    change(directory, `UPDATE entries_1 SET value = CAST('3' AS BLOB) WHERE "key" = 'a'`);
    const region = await engine.openRegion('orders');
    for (const changes of [[put('a', SMALL)], [put('a', HUGE)], [remove('a')]]) {
      await assert.rejects(async () => region?.write(changes), isDamage);
    }
    assert.equal((await region?.read(['b']))?.[0]?.value, OTHER_LARGE);
    await region?.clear();
    assert.equal((await items?.read(['a']))?.[0]?.value, HUGE);
    await engine.close();
    assert.deepEqual(await findProblems(directory), ['large values: 1 row belongs to no entry']);
  });

  it('is refused at a start that checks the store', async () => {
    for (const { name, sql } of DAMAGES.slice(0, 2)) {
      const directory = change(await createStore(), sql);
      await assert.rejects(openSqliteEngine({ directory }), isDamage, name);
    }
  });

  it('is repaired by accepting a loss when rows belong to no entry', async () => {
    const directory = change(
      await createStore(),
      `INSERT INTO large_values(seal, value) VALUES('', '{}'), ('', '[]')`,
    );
    assert.deepEqual(await findProblems(directory), ['large values: 2 rows belong to no entry']);
    const outcome = acceptLoss(storeFiles(directory));
    assert.ok(outcome.kind === 'accepted');
    assert.equal(outcome.loss.orphans, 2);
    assert.deepEqual(await findProblems(directory), []);
    assert.equal(acceptLoss(storeFiles(directory)).kind, 'nothing-missing');
    assert.equal(countRows(directory), 2);
  });
});

describe('a large value of an older format', () => {
  const FIXTURE = new URL('testdata/format-4-stopped', import.meta.url).pathname;

  it('stays where it is until it is rewritten', async () => {
    const directory = newDirectory();
    cpSync(FIXTURE, directory, { recursive: true });
    const before = openStoredRegions(directory);
    const entries = [...before.entries('orders')];
    before.close();
    const engine = await openSqliteEngine({ directory });
    const region = await engine.openRegion('orders');
    const keys = entries.map(({ key }) => key);
    assert.deepEqual(
      (await region?.read(keys))?.map((entry) => entry?.value),
      entries.map(({ value }) => value),
    );
    const [large = '', other = ''] = entries
      .filter(({ value }) => value.length > INLINE_BYTES)
      .map(({ key }) => key);
    await region?.write([put(large, HUGE)]);
    await region?.write([remove(other)]);
    assert.equal((await region?.read([large]))?.[0]?.value, HUGE);
    await engine.close();
    assert.equal(countRows(directory), 1);
    assert.deepEqual(await findProblems(directory), []);
  });
});

async function collect(engine: Engine, range: { readonly order?: 'desc' }): Promise<void> {
  const snapshot = await engine.openSnapshot();
  try {
    for await (const batch of snapshot.scan('orders', range, 'values')) assert.ok(batch.length > 0);
  } finally {
    snapshot.close();
  }
}

async function readNext(engine: Engine): Promise<void> {
  const snapshot = await engine.openSnapshot();
  try {
    await snapshot.readNext('orders', ['A']);
  } finally {
    snapshot.close();
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'engine/store-damaged';
}
