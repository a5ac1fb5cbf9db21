// npm run bench:input: the long forms of the tests with bad input, with the same drivers. Writes
// bench/results/input.{md,json}.
//
//   --share N     this share of the long counts (0.01: a hundredth); families
//                 whose long count is that of npm test always run it whole
//   --only IDS    some families, for example I1,I4
//   --seed N      repeats the choices of an earlier run

import { inspect, parseArgs } from 'node:util';
import { FAMILIES } from '../../test/input/families.ts';
import type { Family } from '../../test/input/family.ts';
import { endProgress, progress } from '../shared/progress.ts';
import { type Row, reportRows } from '../shared/report.ts';

const { values: options } = parseArgs({
  options: {
    share: { type: 'string', default: '1' },
    only: { type: 'string' },
    seed: { type: 'string' },
  },
});
const share = Number(options.share);
const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
const only = options.only?.split(',');
if (!(share > 0 && share <= 1) || !Number.isSafeInteger(seed)) {
  throw new TypeError('--share takes a number up to 1 and --seed a whole number');
}
const known = FAMILIES.map(({ id }) => id);
const chosen = FAMILIES.filter(({ id }) => only === undefined || only.includes(id));
if (chosen.length !== (only ?? known).length) throw new TypeError(`--only knows ${known}`);

const title = `Bad input, share ${share} of the long counts`;
// A run of some families does not overwrite the results of all.
await reportRows(chosen, run, { title, name: only === undefined ? 'input' : 'input-part' });

async function run(family: Family): Promise<Row> {
  const { bar, benchCases, id, title: what } = family;
  const cases = benchCases === family.cases ? benchCases : Math.ceil(benchCases * share);
  const onProgress = (done: number): void => progress(`${id} ${what}`, done, cases);
  const started = performance.now();
  const described = { id, title: what, bar, seed };
  try {
    const figures = await family.run({ cases, seed, isTimed: true, onProgress });
    const seconds = (performance.now() - started) / 1000;
    const { cases: done, isWithinTime = true, outcome, replayed } = figures;
    const count = `${formatCount(done)} of ${formatCount(benchCases)}, and ${replayed} found earlier`;
    const figure = `${count}: 0 failed; ${outcome}`;
    return {
      ...described,
      figure,
      outcome: isWithinTime ? 'met' : 'MISSED',
      seconds,
      details: { ...figures, benchCases },
    };
  } catch (error) {
    // The whole error, because it shows the case for the corpus.
    const details = inspect(error, { depth: 4 });
    endProgress();
    console.error(`${id} failed with --seed ${seed}:\n${details}`);
    const seconds = (performance.now() - started) / 1000;
    return {
      ...described,
      figure: `failed, in a run of ${formatCount(cases)}`,
      outcome: 'MISSED',
      seconds,
      details,
    };
  }
}

/** 20000 as 20,000. */
function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
