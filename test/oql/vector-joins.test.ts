// Joins over regions of several chunks, where frames share rows of the joined side. The small regions of
// generated queries never reach this, and the reference evaluator would take too long, so the expected
// rows are computed from plain objects.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { QueryColumns } from '../../src/grid/query/query-columns.ts';
import { bindQuery, parseQuery } from '../../src/oql/index.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import { createYieldingContext } from '../../src/oql/reference/testing/run-query.ts';
import { Choices } from '../../src/oql/testing/queries/choices.ts';
import { pickSeed } from '../../src/value/testing/share-of-runs.ts';

const ORDERS = 9000;
const CUSTOMERS = 5000;
const SEED = pickSeed();

/** Integers close together and far apart, fractions, and words. */
const KEYS = ['dense', 'small', 'wide', 'half', 'word'] as const;

function keysOf(number: number) {
  return {
    dense: number + 70_000,
    small: number,
    wide: (number - 2000) * 1_000_003,
    // So close to zero that a subtraction would not show the difference.
    half: number === 7 ? 1e-300 : number / 2,
    word: `w${number}`,
  };
}

function makeOrder(choices: Choices) {
  // Some have no customer.
  const of = choices.below(CUSTOMERS + (choices.chance(5) ? 50 : 0));
  return { ...keysOf(of), total: choices.below(400) / 4, state: `s${choices.below(4)}` };
}

function makeCustomer(choices: Choices, number: number) {
  const country = choices.chance(97)
    ? `c${choices.below(300)}`
    : choices.of<string | number | boolean | null>(null, 3, true);
  return { ...keysOf(number), country, rank: choices.below(100), team: `t${choices.below(3000)}` };
}

type Order = ReturnType<typeof makeOrder>;
type Customer = ReturnType<typeof makeCustomer>;

/** A write, in the order of commits. */
type Write = { readonly sequence: number; readonly key: string } & (
  | { readonly region: 'orders'; readonly value: Order }
  | { readonly region: 'customers'; readonly value: Customer }
);

class Model {
  readonly orders = new Map<string, Order>();
  readonly customers = new Map<string, Customer>();

  /** The entries as of a commit. */
  static at(sequence: number, writes: readonly Write[]): Model {
    const model = new Model();
    for (const write of writes) {
      if (write.sequence > sequence) break;
      if (write.region === 'orders') model.orders.set(write.key, write.value);
      else model.customers.set(write.key, write.value);
    }
    return model;
  }

  inOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
    return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  /** Orders with their customers, in the order of nested loops. */
  joinOn(key: (typeof KEYS)[number]): { order: Order; customer: Customer }[] {
    const customers = Map.groupBy(this.inOrder(this.customers), (customer) => customer[key]);
    return this.inOrder(this.orders).flatMap((order) =>
      (customers.get(order[key]) ?? []).map((customer) => ({ order, customer })),
    );
  }
}

/** Each row with its matches, in order, or once with none. */
function leftJoin<Left, Right>(
  left: readonly Left[],
  matchesOf: (row: Left) => readonly Right[],
): { left: Left; right: Right | undefined }[] {
  return left.flatMap((row) => {
    const matches = matchesOf(row);
    return (matches.length === 0 ? [undefined] : matches).map((right) => ({ left: row, right }));
  });
}

interface Case {
  readonly oql: string;
  /** The rows for the entries of a model. */
  readonly expect: (model: Model) => unknown;
  readonly isSorted?: boolean;
}

function casesOf(key: (typeof KEYS)[number]): Case[] {
  const from = `FROM /orders o, /customers c WHERE o.${key} = c.${key}`;
  const join = (model: Model) => model.joinOn(key);
  const byCountry = (model: Model) => [
    ...Map.groupBy(join(model), ({ customer }) => customer.country),
  ];
  const low = (model: Model) => join(model).filter(({ customer }) => customer.rank < 60);
  const sum = (rows: ReturnType<typeof join>): number =>
    rows.reduce((all, { order }) => all + order.total, 0);
  return [
    {
      oql: `SELECT c.country, COUNT(*) AS n, SUM(o.total) AS total ${from} GROUP BY c.country`,
      expect: (model) =>
        byCountry(model).map(([country, rows]) => ({ country, n: rows.length, total: sum(rows) })),
    },
    {
      oql: `SELECT c.team, c.rank, AVG(o.total * 2) AS mean, COUNT(DISTINCT o.state) AS states ${from} AND c.rank < 60 AND o.total < 70 GROUP BY c.team, c.rank`,
      expect: (model) => {
        const cheap = low(model).filter(({ order }) => order.total < 70);
        const groups = Map.groupBy(cheap, ({ customer }) => `${customer.team} ${customer.rank}`);
        return [...groups.values()].map((rows) => ({
          team: rows[0]?.customer.team,
          rank: rows[0]?.customer.rank,
          mean: rows.reduce((all, { order }) => all + order.total * 2, 0) / rows.length,
          states: new Set(rows.map(({ order }) => order.state)).size,
        }));
      },
    },
    {
      oql: `SELECT o.state, SUM(c.rank) AS ranks, COUNT(DISTINCT c.team) AS teams ${from} AND c.rank < 60 GROUP BY o.state`,
      expect: (model) =>
        [...Map.groupBy(low(model), ({ order }) => order.state)].map(([state, rows]) => ({
          state,
          ranks: rows.reduce((all, { customer }) => all + customer.rank, 0),
          teams: new Set(rows.map(({ customer }) => customer.team)).size,
        })),
    },
    {
      oql: `SELECT COUNT(*) ${from} AND o.total > 20`,
      expect: (model) => [join(model).filter(({ order }) => order.total > 20).length],
    },
    {
      oql: `SELECT o.word, c.team ${from} AND o.total > c.rank`,
      expect: (model) =>
        join(model)
          .filter(({ order, customer }) => order.total > customer.rank)
          .map(({ order, customer }) => ({ word: order.word, team: customer.team })),
      isSorted: true,
    },
    {
      oql: `SELECT DISTINCT c.country ${from}`,
      expect: (model) => byCountry(model).map(([country]) => country),
      isSorted: true,
    },
  ];
}

function leftCasesOf(key: (typeof KEYS)[number]): Case[] {
  const on = `ON o.${key} = c.${key}`;
  const ordersOf = (model: Model) => {
    const orders = Map.groupBy(model.inOrder(model.orders), (order) => order[key]);
    return (customer: Customer) => orders.get(customer[key]) ?? [];
  };
  return [
    {
      oql: `SELECT c.country, COUNT(*) AS n, COUNT(c) AS found, MAX(c.rank) AS most FROM /orders o LEFT JOIN /customers c ${on} AND c.rank < 60 GROUP BY c.country`,
      expect: (model) => {
        const low = model.inOrder(model.customers).filter(({ rank }) => rank < 60);
        const customers = Map.groupBy(low, (customer) => customer[key]);
        const rows = leftJoin(
          model.inOrder(model.orders),
          (order) => customers.get(order[key]) ?? [],
        );
        return [...Map.groupBy(rows, ({ right }) => right?.country)].map(([country, group]) => {
          const found = group.flatMap(({ right }) => right ?? []);
          const most = found.length === 0 ? null : Math.max(...found.map(({ rank }) => rank));
          return { country: country ?? null, n: group.length, found: found.length, most };
        });
      },
    },
    {
      oql: `SELECT c.word, o.total FROM /customers c LEFT JOIN /orders o ${on}`,
      expect: (model) =>
        leftJoin(model.inOrder(model.customers), ordersOf(model)).map(({ left, right }) => ({
          word: left.word,
          total: right?.total ?? null,
        })),
      isSorted: true,
    },
    {
      oql: `SELECT c.word, o.total FROM /customers c LEFT JOIN /orders o ${on} AND o.total > c.rank AND c.rank > 5 WHERE c.rank < 70 AND (o IS NULL OR o.state <> 's1')`,
      expect: (model) => {
        const orders = ordersOf(model);
        return leftJoin(model.inOrder(model.customers), (customer) =>
          orders(customer).filter(({ total }) => total > customer.rank && customer.rank > 5),
        )
          .filter(({ left, right }) => left.rank < 70 && right?.state !== 's1')
          .map(({ left, right }) => ({ word: left.word, total: right?.total ?? null }));
      },
      isSorted: true,
    },
    {
      oql: `SELECT c.word FROM /customers c LEFT JOIN /orders o ${on} WHERE o IS NULL`,
      expect: (model) => {
        const orders = ordersOf(model);
        const alone = model.inOrder(model.customers).filter((each) => orders(each).length === 0);
        return alone.map(({ word }) => word);
      },
      isSorted: true,
    },
  ];
}

const teamsOf = (model: Model) => [
  ...Map.groupBy(model.inOrder(model.customers), ({ team }) => team),
];

/** Every pair of customers of the same team. */
const TEAM_CASES: readonly Case[] = [
  {
    oql: 'SELECT b.country, COUNT(*) AS n, MAX(a.rank) AS most, SUM(a.rank + 1) AS ranks FROM /customers a, /customers b WHERE a.team = b.team GROUP BY b.country',
    expect: (model) => {
      const pairs = teamsOf(model).flatMap(([, rows]) =>
        rows.flatMap((a) => rows.map((b) => ({ a, b }))),
      );
      return [...Map.groupBy(pairs, ({ b }) => b.country)].map(([country, rows]) => ({
        country,
        n: rows.length,
        most: Math.max(...rows.map(({ a }) => a.rank)),
        ranks: rows.reduce((all, { a }) => all + a.rank + 1, 0),
      }));
    },
  },
  {
    oql: 'SELECT a.team, COUNT(*) AS n, SUM(b.rank) AS ranks FROM /customers a, /customers b WHERE a.team = b.team GROUP BY a.team',
    expect: (model) =>
      teamsOf(model).map(([team, rows]) => ({
        team,
        n: rows.length ** 2,
        ranks: rows.length * rows.reduce((all, { rank }) => all + rank, 0),
      })),
  },
];

/** Sorts rows unless they are ordered, for groups have no defined order. */
function comparable(rows: unknown, isSorted = false): string[] {
  assert.ok(Array.isArray(rows));
  const texts = rows.map((row) => JSON.stringify(row));
  return isSorted ? texts : texts.sort();
}

describe('joins of several chunks', () => {
  it('return the same pairs as nested loops, from one snapshot while others write', async () => {
    const choices = new Choices(SEED);
    const engine = new MemoryEngine();
    const writes: Write[] = [];
    const catalog = createCatalog({ orders: { entries: [] }, customers: { entries: [] } });
    for (const name of ['orders', 'customers']) {
      await engine.createRegion(plainRegion(name));
    }
    const put = async (region: 'orders' | 'customers', rows: readonly number[], suffix: string) => {
      const sequence = engine.stats().sequence + 1;
      const made = rows.map((row): Write => {
        const key = `k${String(row).padStart(6, '0')}${suffix}`;
        return region === 'orders'
          ? { sequence, key, region, value: makeOrder(choices) }
          : { sequence, key, region, value: makeCustomer(choices, row) };
      });
      const stored = await engine.openRegion(region);
      await stored?.write(
        made.map(({ key, value }) => ({ kind: 'put', key, value: JSON.stringify(value) })),
      );
      assert.equal(engine.stats().sequence, sequence);
      writes.push(...made);
    };
    await put(
      'orders',
      Array.from({ length: ORDERS }, (_, row) => row),
      '',
    );
    await put(
      'customers',
      Array.from({ length: CUSTOMERS }, (_, row) => row),
      '',
    );
    const columns = new QueryColumns(engine, 1e9);
    const context = createYieldingContext(async () => {
      if (!choices.chance(5)) return;
      // A new key between others is out of order, and has the join keys of its neighbour.
      const suffix = choices.of('', '', 'b');
      await put(choices.of('orders', 'customers'), [choices.below(CUSTOMERS)], suffix);
    });
    const run = async (oql: string): Promise<{ rows: unknown; sequence: number }> => {
      const decoder = new TextDecoder();
      const pieces: string[] = [];
      let sequence = -1;
      const query = bindQuery(parseQuery(oql), catalog);
      const onOpen = (moment: number): void => {
        sequence = moment;
      };
      for await (const { json } of columns.execute(query, catalog, context, { onOpen })) {
        pieces.push(decoder.decode(json));
      }
      return { rows: JSON.parse(`[${pieces.join()}]`), sequence };
    };
    let later = 0;
    for (const { oql, expect, isSorted } of [
      ...KEYS.flatMap(casesOf),
      ...KEYS.flatMap(leftCasesOf),
      ...TEAM_CASES,
    ]) {
      const begin = engine.stats().sequence;
      const { rows, sequence } = await run(oql);
      const moment = `${oql} at ${sequence}, begun at ${begin}`;
      assert.ok(sequence >= begin && sequence <= engine.stats().sequence, moment);
      const expected = expect(Model.at(sequence, writes));
      assert.deepEqual(comparable(rows, isSorted), comparable(expected, isSorted), moment);
      if (sequence < engine.stats().sequence) later += 1;
    }
    // Otherwise no write happened during a query.
    assert.ok(later > 10, `${later} queries had later commits beside them`);
    columns.close();
    await engine.close();
  });
});
