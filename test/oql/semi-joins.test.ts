// EXISTS and NOT EXISTS of subqueries that are correlated by an equality: over columns they run as
// semi-joins, with the results and failures of the reference evaluator.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Choices } from '../../src/oql/testing/queries/choices.ts';
import { generateExists } from '../../src/oql/testing/queries/generate-joins.ts';
import { pickSeed, shareOfRuns } from '../../src/value/testing/share-of-runs.ts';
import { runAll } from './small-regions.ts';

const SEED = pickSeed();
const ROUNDS = shareOfRuns(200);
const TEXTS_PER_ROUND = 6;

describe('EXISTS correlated by an equality', () => {
  it('has the results and failures of the reference evaluator', async (t) => {
    const choices = new Choices(SEED);
    const seen = { overColumns: 0, failed: 0, rows: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const oddShare = choices.of(0, 0, 20);
      const number = (): unknown =>
        choices.chance(oddShare) ? choices.of<unknown>(null, 'x', undefined) : choices.below(5);
      const make = (): object => ({ k: number(), j: number(), n: number(), m: number() });
      const some = (): object[] => Array.from({ length: choices.below(9) }, make);
      const texts = Array.from({ length: TEXTS_PER_ROUND }, () => generateExists(choices));
      await runAll(
        { a: some(), b: some() },
        texts,
        ({ reference, answer, vector, fallback }, text) => {
          if (fallback === undefined) seen.overColumns += 1;
          if (fallback === undefined) assert.equal(vector?.rows, reference.rows, text);
          if (answer !== undefined) assert.equal(answer.rows, reference.rows, text);
          if (reference.failure !== undefined) seen.failed += 1;
          if (!['', '0'].includes(reference.rows)) seen.rows += 1;
        },
      );
    }
    const all = TEXTS_PER_ROUND * ROUNDS;
    const outcome = `${JSON.stringify(seen)} of ${all}`;
    t.diagnostic(outcome);
    assert.ok(seen.overColumns > all * 0.3, outcome);
    assert.ok(seen.rows > all * 0.4, outcome);
    assert.ok(seen.failed > 0, outcome);
  });
});
