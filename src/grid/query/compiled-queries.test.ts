// Texts that differ from an earlier one only in a literal are not compiled. Their results must equal
// those of compiling them: rows, errors with positions, and refusals of regions.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { defaultLimits } from '../../app/testing/default-limits.ts';
import { MemoryEngine } from '../../engine/memory/memory-engine.ts';
import { OqlError, printExplanation } from '../../oql/index.ts';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { joinPieces } from '../testing/join-pieces.ts';
import { QueryRunner } from './query-runner.ts';

const base = { type: 'REPLICATE', keyConstraint: null, valueConstraint: null } as const;
const signal = { aborted: false };
const NUMBER_OF_TEXTS = shareOfRuns(1_000);

/** `#` stands for a literal. */
const TEMPLATES = [
  'SELECT * FROM /orders o WHERE o.id = #',
  'SELECT * FROM /orders o WHERE o.id = -#',
  'SELECT * FROM /orders o WHERE o.id = - #',
  'SELECT * FROM /orders o WHERE o.id =#;',
  'SELECT o.n, o.id FROM /orders o WHERE # = o.id',
  "SELECT o.n FROM /'orders' o WHERE (o.id = #) -- of 17",
  'SELECT o1.n.m AS x2 FROM /orders o1 WHERE o1.id = # /* 5 */',
  'SELECT v FROM /orders.values v WHERE v.id = #',
  'SELECT o.n.size FROM /orders o WHERE o.id = #',
  'SELECT * FROM /orders o WHERE NOT (o.id <> #)',
  'SELECT * FROM /orders o WHERE o.id = # AND o.n = 1',
  'SELECT * FROM /orders o WHERE o.n = 1 AND o.id = #',
  'SELECT * FROM /orders o WHERE o.id = # LIMIT 2',
  'SELECT * FROM /orders o LIMIT #',
  'SELECT DISTINCT o.n FROM /orders o WHERE o.id = #',
  'SELECT COUNT(*) FROM /orders o WHERE o.id = #',
  'SELECT o.n + # FROM /orders o WHERE o.id = 7',
  'SELECT * FROM /orders o WHERE o.id > #',
  'SELECT * FROM /orders o WHERE o.id = # + 1',
  'SELECT * FROM /orders o WHERE o.id = 1 -#',
  'SELECT * FROM /orders o WHERE o.id = DATE #',
  'SELECT * FROM /orders o WHERE o.id = CHAR #',
  'SELECT * FROM /orders o WHERE o.id = $#',
  'SELECT * FROM /orders o WHERE o.id = #.n',
  'SELECT * FROM /orders o WHERE o.id = # #',
  'SELECT * FROM /orders o WHERE o.id = --#',
  'SELECT * FROM /nowhere o WHERE o.id = #',
  'SELECT * FROM /orders o WHERE p.id = #',
  'SELECT "#" FROM /orders o WHERE o.id = #',
];
const LITERALS = [
  ...['7', '0', '00', '010', '08', '17', '999999999', '2147483647', '2147483648', '5L', '7L'],
  ...['9223372036854775808L', '1.5', '7.0', '7.', '5d', '1e3', '2.5f', '1e999', '7and', '0x1F'],
  ...["'a'", "'it''s'", "''", "''''", "'é'", "'7'", "'a", "'2024-02-29'", "'x'", "'a\nb'", '"a"'],
  ...['null', 'true', 'o.n', '', ';', ')', '7)', '7;', '7 -- 8'],
];
/** One literal of each kind; the cache learns its patterns from these. */
const FIRST_LITERALS = ['123', '123L', '12.5', '12f', "'first'"];
const IDS = ['7', '7.0', '0', '-7', '1.5', '"a"', '"it\'s"', '""', '"é"', '1000', 'null', '[7]'];

describe('queries that differ in a literal', () => {
  let engine: MemoryEngine;
  let runner: QueryRunner;

  beforeEach(async () => {
    engine = new MemoryEngine();
    runner = openRunner(engine);
    await engine.createRegion({ ...base, name: 'orders' });
    await fill(engine);
  });

  afterEach(async () => {
    runner.close();
    await engine.close();
  });

  for (const kind of ['hash', 'range'] as const) {
    it(`return the same as compiling each of them, through a ${kind} index`, async () => {
      await defineIndex(engine, runner, kind);
      for (const template of TEMPLATES) {
        for (const literal of FIRST_LITERALS) {
          const oql = template.replaceAll('#', literal);
          await outcome(async () => collect(await runner.answer(request(oql))));
        }
      }
      let atOnce = 0;
      const texts = fc
        .tuple(fc.constantFrom(...TEMPLATES), fc.constantFrom(...LITERALS))
        .map(([template, literal]) => template.replaceAll('#', literal));
      await fc.assert(
        fc.asyncProperty(texts, async (oql) => {
          const other = openRunner(engine);
          try {
            const actual = await outcome(async () => collect(await runner.answer(request(oql))));
            const expected = await outcome(() => collect(other.run(request(oql))));
            assert.deepEqual(actual.outcome, expected.outcome, oql);
            atOnce += actual.isAtOnce ? 1 : 0;
          } finally {
            other.close();
          }
        }),
        { numRuns: NUMBER_OF_TEXTS },
      );
      // About one in seven is expected.
      assert.ok(atOnce > NUMBER_OF_TEXTS / 50, `only ${atOnce} were answered at once`);
    });
  }

  it('are answered without compiling after the first, for any number or string', async () => {
    await defineIndex(engine, runner, 'hash');
    const find = async (oql: string): Promise<string | undefined> => {
      const answer = await runner.answer(request(oql));
      if (typeof answer === 'string') return answer;
      await collect(answer);
      return undefined;
    };
    const text = 'SELECT o.n FROM /orders o WHERE o.id = ';
    for (const first of ['1', '-1', '1L', '1.5', '1f', "'x'"]) await find(text + first);
    assert.equal(await find(`${text}7`), '0,1');
    assert.equal(await find(`${text}-7`), '3');
    assert.equal(await find(`${text}7L`), '0,1');
    assert.equal(await find(`${text}7.00`), '0,1');
    assert.equal(await find(`${text}7f`), '0,1');
    assert.equal(await find(`${text}'it''s'`), '6');
    assert.equal(await find(`${text}1234`), '');
    assert.equal(await find(`${text}1234 `), undefined);
  });

  it('read no region without permission, and name themselves in the error', async () => {
    await defineIndex(engine, runner, 'hash');
    const text = (id: number): string => `SELECT o.n FROM /orders o WHERE o.id = ${id}`;
    await collect(await runner.answer(request(text(1))));
    assert.equal(await runner.answer(request(text(7))), '0,1');
    for (const id of [7, 8]) {
      const forbidden = { ...request(text(id)), mayRead: () => false };
      await assert.rejects(async () => collect(await runner.answer(forbidden)), {
        code: 'grid/region-forbidden',
      });
    }
    const parameters = [{ name: undefined, type: 'int', json: '1' }];
    await assert.rejects(
      async () => collect(await runner.answer({ ...request(text(7)), parameters })),
      { code: 'oql/parameter-count' },
    );
  });

  it('follow created and dropped regions and indexes', async () => {
    await defineIndex(engine, runner, 'hash');
    const text = (id: number): string => `SELECT o.n FROM /orders o WHERE o.id = ${id}`;
    const find = async (id: number): Promise<string> =>
      collect(await runner.answer(request(text(id))));
    await find(1);
    assert.equal(await find(7), '0,1');
    await engine.dropIndex('orders', 'by-id');
    assert.equal(await find(-7), '3');
    await defineIndex(engine, runner, 'range');
    assert.equal(await find(7), '0,1');
    await engine.destroyRegion('orders');
    await assert.rejects(find(7), { code: 'oql/region-not-found' });
    await engine.createRegion({ ...base, name: 'orders' });
    assert.equal(await find(7), '');
    const region = await engine.openRegion('orders');
    await region?.write([{ kind: 'put', key: 'k', value: '{"id":7,"n":"new"}' }]);
    assert.equal(await find(7), '"new"');
  });

  it('are each explained with their own literal', async () => {
    await defineIndex(engine, runner, 'range');
    const text = (id: number): string => `SELECT o.n FROM /orders o WHERE o.id = ${id}`;
    await collect(await runner.answer(request(text(1))));
    const explain = async (by: QueryRunner): Promise<string> =>
      printExplanation(await by.explain(request(text(7)), 'estimate'));
    const other = openRunner(engine);
    assert.equal(await explain(runner), await explain(other));
    other.close();
  });

  it('are subject to the limit of text length', async () => {
    const short = 'SELECT o.n, o.id FROM /orders o WHERE o.id = 1';
    const limits = { ...defaultLimits, maxOqlTextLength: short.length };
    const strict = openRunner(engine, limits);
    await defineIndex(engine, strict, 'hash');
    await collect(await strict.answer(request(short)));
    await assert.rejects(async () => collect(await strict.answer(request(`${short}7`))), {
      code: 'oql/text-too-long',
    });
    strict.close();
  });
});

function openRunner(engine: MemoryEngine, limits = defaultLimits): QueryRunner {
  return new QueryRunner({
    engine,
    limits: { ...limits, maxQueryMs: 0 },
    observe: () => undefined,
    wallClock: () => 0,
    now: () => 0,
    pause: async () => undefined,
    isMemoryLow: () => false,
  });
}

async function fill(engine: MemoryEngine): Promise<void> {
  const region = await engine.openRegion('orders');
  for (const [n, id] of IDS.entries()) {
    await region?.write([{ kind: 'put', key: `k${n + 10}`, value: `{"id":${id},"n":${n}}` }]);
  }
}

/** The index is in memory afterwards. */
async function defineIndex(
  engine: MemoryEngine,
  runner: QueryRunner,
  kind: 'hash' | 'range',
): Promise<void> {
  await engine.addIndex('orders', {
    name: 'by-id',
    kind,
    expression: 'o.id',
    from: '/orders o',
  });
  await collect(runner.run(request('SELECT o.n FROM /orders o WHERE o.id = $1', '1')));
}

function request(oql: string, ...json: string[]): Parameters<QueryRunner['run']>[0] {
  const parameters = json.map((each) => ({ name: undefined, type: 'int', json: each }));
  return { oql, parameters, signal };
}

async function collect(answer: string | AsyncGenerator<Uint8Array>): Promise<string> {
  wasAtOnce = typeof answer === 'string';
  return typeof answer === 'string' ? answer : joinPieces(answer);
}

let wasAtOnce = false;

/** The rows, or all parts of an error. */
async function outcome(
  find: () => Promise<string>,
): Promise<{ readonly outcome: unknown; readonly isAtOnce: boolean }> {
  wasAtOnce = false;
  try {
    const rows = await find();
    return { outcome: rows, isAtOnce: wasAtOnce };
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    const { code, message, position, hint } = error;
    return { outcome: { code, message, position, hint }, isAtOnce: false };
  }
}
