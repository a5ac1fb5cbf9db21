import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Region } from '../../engine/engine.ts';
import { MemoryEngine } from '../../engine/memory/memory-engine.ts';
import { plainRegion } from '../../engine/testing/plain-region.ts';
import { bindQuery, type Catalog, parseQuery, printExplanation } from '../../oql/index.ts';
import { createYieldingContext } from '../../oql/reference/testing/run-query.ts';
import { QueryColumns } from './query-columns.ts';

const catalog: Catalog = {
  findRegion: (name) =>
    ['orders', 'customers'].includes(name)
      ? { type: 'REPLICATE', valueMembers: undefined }
      : undefined,
  regionNames: () => ['orders', 'customers'].values(),
  findTypeMembers: () => undefined,
};
const context = { parameters: [], now: () => 0, pause: async () => undefined };

async function openColumns(): Promise<{ engine: MemoryEngine; columns: QueryColumns }> {
  const engine = new MemoryEngine();
  for (const name of ['orders', 'customers']) {
    await engine.createRegion(plainRegion(name));
  }
  const orders = await engine.openRegion('orders');
  for (let row = 0; row < 300; row += 1) {
    const value = JSON.stringify({
      id: row,
      status: row % 100 === 0 ? 'late' : 'paid',
      customer: row % 3,
      items: [{ sku: `s${row % 50}` }],
    });
    await orders?.write([{ kind: 'put', key: `k${row}`, value }]);
  }
  const customers = await engine.openRegion('customers');
  for (let row = 0; row < 3; row += 1) {
    await customers?.write([
      { kind: 'put', key: `c${row}`, value: JSON.stringify({ id: row, name: `n${row}` }) },
    ]);
  }
  const indexes = [
    { name: 'by-status', kind: 'range', expression: 'o.status', from: '/orders o' },
    { name: 'by-sku', kind: 'hash', expression: 'i.sku', from: '/orders o, o.items i' },
    { name: 'by-id', kind: 'range', expression: 'o.id', from: '/orders o' },
  ] as const;
  for (const index of indexes) await engine.addIndex('orders', index);
  return { engine, columns: new QueryColumns(engine, 1e9) };
}

async function run(columns: QueryColumns, oql: string): Promise<string> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  const query = bindQuery(parseQuery(oql), catalog);
  for await (const { json } of columns.execute(query, catalog, context)) {
    pieces.push(decoder.decode(json));
  }
  return `[${pieces.join()}]`;
}

async function explain(
  columns: QueryColumns,
  oql: string,
  mode: 'estimate' | 'analyze',
): Promise<string> {
  const query = bindQuery(parseQuery(oql), catalog);
  return printExplanation(await columns.explain(query, catalog, context, mode));
}

describe('the uses of an index', () => {
  it('are the queries that ran through it, joins and subqueries too, until it is dropped', async () => {
    const { engine, columns } = await openColumns();
    const uses = (): readonly number[] =>
      ['by-status', 'by-sku', 'by-id'].map((name) => columns.indexUses.find('orders', name).uses);
    await run(columns, "SELECT o.id FROM /orders o WHERE o.status = 'late' AND o.id >= 0");
    assert.deepEqual(uses(), [1, 0, 0]);
    await run(columns, "SELECT o.id FROM /orders o WHERE o.customer = 1 AND o.status <> 'x'");
    assert.deepEqual(uses(), [1, 0, 0]);
    const joined = 'SELECT c.name FROM /customers c, /orders o WHERE o.id = c.id AND c.id < 2';
    await run(columns, joined);
    assert.deepEqual(uses(), [1, 0, 1]);
    await explain(columns, joined, 'analyze');
    const nested = "SELECT s.sku FROM /orders p, p.items s WHERE s.sku = 's7'";
    await run(columns, `SELECT c.id FROM /customers c WHERE c.name IN (${nested})`);
    assert.deepEqual(uses(), [1, 1, 1]);
    await engine.dropIndex('orders', 'by-id');
    const again = { name: 'by-id', kind: 'range', expression: 'o.id', from: '/orders o' } as const;
    await engine.addIndex('orders', again);
    await run(columns, 'SELECT o.id FROM /orders o WHERE o.status = 3');
    assert.deepEqual(uses(), [2, 1, 0]);
  });
});

describe('queries over columns', () => {
  it('use an index that returns few rows, and show it in the plan', async () => {
    const { engine, columns } = await openColumns();
    const oql = "SELECT o.id FROM /orders o WHERE o.status = 'late' AND o.id >= 0";
    assert.equal(await run(columns, oql), '[0,100,200]');
    assert.equal(
      await explain(columns, oql, 'analyze'),
      [
        'project id  (estimated 3 rows, actual 3 rows in 0 ms)',
        "└ filter o.status = 'late' AND o.id >= 0  (estimated 3 rows, actual 3 rows in 0 ms)",
        '  └ index-lookup /orders through by-status  (estimated 3 rows, actual 3 rows in 0 ms)',
        'rules: use-index',
        'index by-status: used',
        'index by-sku: refused, its path is in no condition',
        'index by-id: refused, it would read 300 rows; by-status is cheaper',
        '',
      ].join('\n'),
    );
    columns.close();
    await engine.close();
  });

  it('merge two bounds into one range, and unite the operands of an OR', async () => {
    const { engine, columns } = await openColumns();
    const range = 'SELECT o.id FROM /orders o WHERE o.id > 7 AND o.id <= 9';
    assert.equal(await run(columns, range), '[8,9]');
    assert.match(await explain(columns, range, 'estimate'), /by-id {2}\(estimated 2 rows\)/);
    const either = "SELECT o.id FROM /orders o WHERE o.id = 7 OR o.status = 'late'";
    assert.equal(await run(columns, either), '[0,100,200,7]');
    assert.match(
      await explain(columns, either, 'estimate'),
      /by-id and by-status {2}\(estimated 4 rows\)/,
    );
    columns.close();
    await engine.close();
  });

  it('find rows by a member of their items', async () => {
    const { engine, columns } = await openColumns();
    const oql = "SELECT o.id FROM /orders o, o.items i WHERE i.sku = 's7'";
    assert.equal(await run(columns, oql), '[107,157,207,257,57,7]');
    assert.match(await explain(columns, oql, 'analyze'), /index-lookup \/orders through by-sku/);
    columns.close();
    await engine.close();
  });

  it('explain joins and groups, and why a query reads rows', async () => {
    const { engine, columns } = await openColumns();
    const oql =
      'SELECT c.name, COUNT(*) AS n FROM /orders o, /customers c WHERE o.customer = c.id GROUP BY c.name LIMIT 2';
    assert.equal(await run(columns, oql), '[{"name":"n0","n":100},{"name":"n1","n":100}]');
    assert.equal(
      await explain(columns, oql, 'analyze'),
      [
        'project name, n  (estimated 2 rows, actual 2 rows in 0 ms)',
        '└ limit 2  (estimated 2 rows, actual 2 rows in 0 ms)',
        '  └ group by c.name, once per build row  (estimated 3 rows, actual 2 rows in 0 ms)',
        '    └ hash-join c: /customers on o.customer = c.id  (estimated 300 rows, actual 300 rows in 0 ms)',
        '      ├ scan /orders  (estimated 300 rows, actual 300 rows in 0 ms)',
        '      └ build  (estimated 3 rows, actual 3 rows in 0 ms)',
        '        └ scan /customers  (estimated 3 rows, actual 3 rows in 0 ms)',
        'index by-status: refused, its path is in no condition',
        'index by-sku: refused, its path is in no condition',
        'index by-id: refused, its path is in no condition',
        '',
      ].join('\n'),
    );
    assert.match(
      await explain(columns, 'SELECT * FROM /orders.entries e', 'estimate'),
      /^rows row by row from the store\nrows, because /,
    );
    columns.close();
    await engine.close();
  });

  it('yield between slices, and end at the time limit or when the caller disconnects', async () => {
    const { engine, columns } = await openColumns();
    const query = bindQuery(parseQuery('SELECT COUNT(*) FROM /orders o WHERE o.id > 1'), catalog);
    let pauses = 0;
    const slow = createYieldingContext(async () => {
      pauses += 1;
    });
    const drain = async (limits: { timeoutMs?: number; signal?: AbortSignal }): Promise<void> => {
      for await (const _ of columns.execute(query, catalog, { ...slow, ...limits }));
    };
    await drain({});
    assert.ok(pauses > 2);
    await assert.rejects(drain({ timeoutMs: 1 }), { code: 'oql/timeout' });
    await assert.rejects(drain({ signal: AbortSignal.abort() }), { code: 'oql/cancelled' });
    // The cancelled query leaves no traces: the next query is right.
    assert.equal(await run(columns, 'SELECT COUNT(*) FROM /orders o WHERE o.id > 1'), '[298]');
    columns.close();
    await engine.close();
  });

  it('deliver large values one after the other, not all at once', async () => {
    const { engine, columns } = await openColumns();
    const orders = await engine.openRegion('orders');
    await orders?.clear();
    const values = Array.from({ length: 8 }, (_, i) =>
      JSON.stringify({ id: 7 - i, pad: (i % 2 === 0 ? 'é' : 'x').repeat(200_000) }),
    );
    for (const [i, value] of values.entries()) {
      await orders?.write([{ kind: 'put', key: `k${i}`, value }]);
    }
    for (const [oql, expected] of [
      ['SELECT * FROM /orders o ORDER BY o.id', values.toReversed()],
      ['SELECT * FROM /orders o', values],
    ] as const) {
      const query = bindQuery(parseQuery(oql), catalog);
      const pieces: string[] = [];
      for await (const { json } of columns.execute(query, catalog, context)) {
        assert.ok(json.length <= 2 ** 20, `${json.length} bytes in one piece`);
        pieces.push(new TextDecoder().decode(json));
      }
      assert.equal(pieces.join(), expected.join());
    }
    columns.close();
    await engine.close();
  });

  it('see one commit, whatever is written while they run', async () => {
    const { engine, columns } = await openColumns();
    const orders = await engine.openRegion('orders');
    const query = bindQuery(parseQuery('SELECT SUM(o.id) AS total FROM /orders o'), catalog);
    let writes = 0;
    const disturbed = createYieldingContext(async () => {
      writes += 1;
      await orders?.write([
        { kind: 'put', key: 'k1', value: `{"id":${1000 + writes}}` },
        { kind: 'put', key: `new${writes}`, value: '{"id":5000}' },
        { kind: 'remove', key: 'k2' },
      ]);
    });
    let json = '';
    for await (const piece of columns.execute(query, catalog, disturbed)) {
      json += new TextDecoder().decode(piece.json);
    }
    assert.equal(json, `{"total":${(299 * 300) / 2}}`);
    const after = await run(columns, 'SELECT COUNT(*) FROM /orders o WHERE o.id >= 1000');
    assert.ok(Number(JSON.parse(after)[0]) > 1);
    columns.close();
    await engine.close();
  });
});

describe('the snapshot of a query', () => {
  const ACCOUNTS = 2000;
  const TOTAL = ACCOUNTS * 100;

  /** Accounts whose total never changes; `transfer` moves an amount between two. */
  async function openBank(): Promise<{
    columns: QueryColumns;
    snapshots: () => number;
    transfer: () => Promise<void>;
    beforeReads: (work: (() => Promise<void>) | undefined) => void;
  }> {
    const engine = new MemoryEngine();
    await engine.createRegion(plainRegion('orders'));
    const region = await engine.openRegion('orders');
    const amounts = Array.from({ length: ACCOUNTS }, () => 100);
    const put = (id: number) => ({
      kind: 'put' as const,
      key: `k${id}`,
      value: JSON.stringify({ id, amount: amounts[id], note: 'x'.repeat(200) }),
    });
    await region?.write(amounts.map((_, id) => put(id)));
    let turn = 0;
    let snapshots = 0;
    let work: (() => Promise<void>) | undefined;
    const readLate = (late: Region): Region =>
      new Proxy(late, {
        get: (_, property) =>
          property === 'read'
            ? async (keys: readonly string[]) => {
                await work?.();
                return late.read(keys);
              }
            : Reflect.get(late, property),
      });
    const counted = new Proxy(engine, {
      get(_, property) {
        const member: unknown = Reflect.get(engine, property);
        if (typeof member !== 'function') return member;
        if (property === 'openRegion') return async () => region && readLate(region);
        if (property !== 'openSnapshot') return member.bind(engine);
        return async () => {
          snapshots += 1;
          await work?.();
          return engine.openSnapshot();
        };
      },
    });
    return {
      columns: new QueryColumns(counted, 1e9),
      snapshots: () => snapshots,
      beforeReads: (next) => {
        work = next;
      },
      // Among the first twenty, so that their sum stays the same too.
      transfer: async () => {
        turn += 1;
        const [from, to] = [turn % 20, (turn * 7 + 3) % 20];
        amounts[from] = (amounts[from] ?? 0) - turn;
        amounts[to] = (amounts[to] ?? 0) + turn;
        await region?.write([...new Set([from, to])].map(put));
      },
    };
  }

  async function sumOf(columns: QueryColumns, oql: string, pause?: () => Promise<void>) {
    const decoder = new TextDecoder();
    const query = bindQuery(parseQuery(oql), catalog);
    let clock = 0;
    const context = {
      parameters: [],
      // Each reading of the clock uses up a slice.
      now: () => (clock += 2),
      pause: pause ?? (async () => undefined),
    };
    const pieces: string[] = [];
    let sequence = 0;
    const onOpen = (opened: number): void => {
      sequence = opened;
    };
    for await (const { json } of columns.execute(query, catalog, context, { onOpen })) {
      pieces.push(decoder.decode(json));
      await pause?.();
    }
    assert.ok(sequence > 0);
    const rows = JSON.parse(`[${pieces.join()}]`) as {
      readonly amount: number;
      readonly document?: { readonly amount: number };
    }[];
    for (const { amount, document } of rows) assert.equal(document?.amount ?? amount, amount);
    return rows.reduce((sum, { amount }) => sum + amount, 0);
  }

  const FIRST_TWENTY = 'SELECT o.amount, o AS document FROM /orders o WHERE o.id < 20';
  const ALL = 'SELECT o.amount, o.note FROM /orders o';
  const WHOLE = 'SELECT o.amount, o AS document FROM /orders o';

  it('is not opened for columns in memory and a few documents', async () => {
    const { columns, snapshots } = await openBank();
    const count =
      'SELECT COUNT(*) AS amount, o.note FROM /orders o WHERE o.amount > 0 GROUP BY o.note';
    for (const oql of [count, FIRST_TWENTY]) await sumOf(columns, oql);
    const before = snapshots();
    assert.equal(await sumOf(columns, count), ACCOUNTS);
    assert.equal(await sumOf(columns, FIRST_TWENTY), 2000);
    assert.equal(snapshots(), before);
    columns.close();
  });

  for (const [oql, expected] of [
    [FIRST_TWENTY, 2000],
    [ALL, TOTAL],
    [WHOLE, TOTAL],
  ] as const) {
    it(`is consistent while others write: ${oql}`, async () => {
      const { columns, beforeReads, transfer } = await openBank();
      for (let round = 0; round < 3; round += 1) {
        assert.equal(await sumOf(columns, oql, transfer), expected);
      }
      beforeReads(transfer);
      for (let round = 0; round < 3; round += 1) {
        assert.equal(await sumOf(columns, oql, transfer), expected);
        await transfer();
        assert.equal(await sumOf(columns, oql), expected);
      }
      columns.close();
    });
  }
});
