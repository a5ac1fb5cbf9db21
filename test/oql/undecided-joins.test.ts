// Joins by an equality beside conditions that may fail, and by an equality of computed keys. Over
// columns they are hash joins, with the results and failures of nested loops.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { QueryColumns } from '../../src/grid/query/query-columns.ts';
import { bindQuery, parseQuery } from '../../src/oql/index.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import { Choices } from '../../src/oql/testing/queries/choices.ts';
import { makeDocument, runAll } from './small-regions.ts';

const SEED = Number(process.env['TEST_SEED'] ?? 1);
const ROUNDS = 60;

const FROM = ['/a a, /b b', '/a a, a.items i, /b b', '/a a, /b b, b.items i'];
const RESTS = [
  'a.n + b.n <> 4',
  'a.n < b.m',
  'a.n / b.n > 0',
  'a.n + b.n <> 4 AND a.m < b.m',
  'a.n > 2 AND a.n - b.n < 3',
  'b.n < 4 AND a.n * b.m >= b.j',
  'a.n + b.n <> 4 AND b.j = a.j',
];
const SELECTS = ['SELECT COUNT(*)', 'SELECT a.n, b.m', 'SELECT DISTINCT a.n'];
const ENDS = ['', '', ' LIMIT 2'];

function makeText(choices: Choices): string {
  const from = choices.of(...FROM);
  const items = from.includes('items') && choices.chance(60) ? ' AND i.n + a.n > 1' : '';
  return `${choices.of(...SELECTS)} FROM ${from} WHERE a.k = b.k AND ${choices.of(...RESTS)}${items}${choices.of(...ENDS)}`;
}

/** The same with texts, some of which differ only in letter case. */
function makeTextDocument(choices: Choices): object {
  const text = choices.of<unknown>('x', 'X', 'y', 'yx', 'Yx', '', null, undefined, 3);
  return { ...makeDocument(choices), s: text };
}

const COMPUTED = [
  'LOWER(a.s) = b.s',
  'UPPER(a.s) = UPPER(b.s)',
  "a.s = b.s || 'x'",
  'a.k = b.j + 1',
  'a.k + 1 = b.k - 1',
  'b.k = a.n + a.m',
  'COALESCE(a.k, 2) = b.k',
  'a.k / 2 = b.j',
  'NULLIF(a.k, 1) = NULLIF(b.k, 2)',
];
const BESIDE = ['', '', ' AND a.n = 2', ' AND b.n <> 3', ' AND a.j = b.j', ' AND a.n < b.m'];
const JOINED = [
  'SELECT COUNT(*)',
  'SELECT a.n, b.m',
  'SELECT DISTINCT a.n',
  'SELECT b.k, COUNT(*)',
];

function makeComputedText(choices: Choices): string {
  const select = choices.of(...JOINED);
  const end = select.includes('b.k') ? ' GROUP BY b.k' : choices.of(...ENDS);
  return `${select} FROM ${choices.of(...FROM)} WHERE ${choices.of(...COMPUTED)}${choices.of(...BESIDE)}${end}`;
}

describe('an equality of computed keys', () => {
  it('joins with the answers and failures of nested loops', async () => {
    const choices = new Choices(SEED);
    const seen = { overColumns: 0, failed: 0, rows: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const isPlain = choices.chance(70);
      const make = (): object =>
        isPlain
          ? { k: choices.below(6), j: choices.below(6), n: 2, m: 3, s: choices.of('x', 'X', 'yx') }
          : makeTextDocument(choices);
      const some = (): object[] => Array.from({ length: 1 + choices.below(9) }, make);
      const texts = Array.from({ length: 6 }, () => makeComputedText(choices));
      await runAll(
        { a: some(), b: some() },
        texts,
        ({ reference, answer, vector, fallback }, text) => {
          if (fallback === undefined) {
            seen.overColumns += 1;
            assert.equal(vector?.rows, reference.rows, text);
            assert.equal(reference.failure, undefined, text);
          } else assert.equal(answer?.rows, reference.rows, text);
          if (reference.failure !== undefined) seen.failed += 1;
          if (!['', '0'].includes(reference.rows)) seen.rows += 1;
        },
      );
    }
    assert.ok(seen.overColumns > 200, `${seen.overColumns} of them ran over columns`);
    assert.ok(seen.rows > 60, `${seen.rows} of them found rows`);
    assert.ok(seen.failed > 10, `${seen.failed} of them failed`);
  });
});

describe('an equality beside conditions that may fail', () => {
  it('joins with the answers and failures of nested loops', async () => {
    const choices = new Choices(SEED);
    const seen = { overColumns: 0, failed: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const some = (): object[] =>
        Array.from({ length: 1 + choices.below(9) }, () => makeDocument(choices));
      const texts = Array.from({ length: 6 }, () => makeText(choices));
      await runAll(
        { a: some(), b: some() },
        texts,
        ({ reference, answer, vector, fallback }, text) => {
          if (fallback === undefined) {
            seen.overColumns += 1;
            assert.deepEqual(vector?.rows, reference.rows, text);
            assert.equal(reference.failure, undefined, text);
          } else {
            assert.equal(fallback, 'a row fails', text);
            assert.deepEqual(answer?.rows, reference.rows, text);
          }
          if (reference.failure !== undefined) seen.failed += 1;
        },
      );
    }
    assert.ok(seen.overColumns > 50, `${seen.overColumns} of them ran over columns`);
    assert.ok(seen.failed > 50, `${seen.failed} of them failed`);
  });

  it('examines only pairs with equal keys', async () => {
    const bank = Array.from({ length: 2000 }, (_, id) => ({ id, pair: id >> 1, bal: 1000 }));
    const texts = [
      'SELECT COUNT(*) FROM /bank a, /bank b WHERE a.pair = b.pair AND a.bal + b.bal <> 2000',
      'SELECT COUNT(*) FROM /bank a, /bank b WHERE a.pair = b.pair AND a.bal + b.bal = 2000 AND a.id < b.id',
    ];
    const engine = new MemoryEngine();
    await engine.createRegion(plainRegion('bank'));
    const region = await engine.openRegion('bank');
    await region?.write(
      bank.map((each) => ({ kind: 'put', key: `${each.id}`, value: JSON.stringify(each) })),
    );
    const catalog = createCatalog({ bank: { entries: [] } });
    const columns = new QueryColumns(engine, 1 << 28);
    const found: string[] = [];
    for (const text of texts) {
      // The clock advances with every reading: nested loops would read it too often.
      let clock = 0;
      const context = {
        parameters: [],
        now: () => {
          clock += 1;
          return clock;
        },
        pause: async () => undefined,
        timeoutMs: 2000,
      };
      const query = bindQuery(parseQuery(text), catalog);
      for await (const { json } of columns.execute(query, catalog, context)) {
        found.push(new TextDecoder().decode(json));
      }
    }
    columns.close();
    await engine.close();
    assert.deepEqual(found, ['0', '1000']);
  });
});
