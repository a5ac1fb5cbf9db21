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
import {
  generateComputedJoin,
  generateUnknownJoin,
} from '../../src/oql/testing/queries/generate-joins.ts';
import { pickSeed, shareOfRuns } from '../../src/value/testing/share-of-runs.ts';
import { makeDocument, runAll } from './small-regions.ts';

const SEED = pickSeed();
const ROUNDS = shareOfRuns(300);
const TEXTS_PER_ROUND = 6;
const TEXTS = TEXTS_PER_ROUND * ROUNDS;

/** A document of the shared kind with texts, some of which differ only in letter case. */
function makeTextDocument(choices: Choices): object {
  const text = choices.of<unknown>('x', 'X', 'y', 'yx', 'Yx', '', null, undefined, 3);
  return { ...makeDocument(choices), s: text };
}

describe('an equality of computed keys', () => {
  it('joins with the answers and failures of nested loops', async (t) => {
    const choices = new Choices(SEED);
    const seen = { overColumns: 0, failed: 0, rows: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const isPlain = choices.chance(70);
      const make = (): object =>
        isPlain
          ? { k: choices.below(6), j: choices.below(6), n: 2, m: 3, s: choices.of('x', 'X', 'yx') }
          : makeTextDocument(choices);
      const some = (): object[] => Array.from({ length: 1 + choices.below(9) }, make);
      const texts = Array.from({ length: TEXTS_PER_ROUND }, () => generateComputedJoin(choices));
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
    const outcome = `${JSON.stringify(seen)} of ${TEXTS}`;
    t.diagnostic(outcome);
    assert.ok(seen.overColumns > TEXTS * 0.85, outcome);
    assert.ok(seen.rows > TEXTS * 0.12, outcome);
    assert.ok(seen.failed > 0, outcome);
  });
});

describe('an equality beside conditions that may fail', () => {
  it('joins with the answers and failures of nested loops', async (t) => {
    const choices = new Choices(SEED);
    const seen = { overColumns: 0, failed: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const some = (): object[] =>
        Array.from({ length: 1 + choices.below(9) }, () => makeDocument(choices));
      const texts = Array.from({ length: TEXTS_PER_ROUND }, () => generateUnknownJoin(choices));
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
    const outcome = `${JSON.stringify(seen)} of ${TEXTS}`;
    t.diagnostic(outcome);
    assert.ok(seen.overColumns > TEXTS * 0.6, outcome);
    assert.ok(seen.failed > TEXTS * 0.1, outcome);
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
