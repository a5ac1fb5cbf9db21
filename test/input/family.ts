// A family of bad input (I1 to I9): one driver, which `npm test` runs with the short count and
// `npm run bench:input` with the long one. corpus/ has the cases that a family once failed on; they run
// first.

import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import fc from 'fast-check';
import { pickSeed, shareOfRuns } from '../../src/value/testing/share-of-runs.ts';

export type FamilyId = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8' | 'I9';

export interface Family {
  readonly id: FamilyId;
  readonly title: string;
  /** A short text of what must hold for every case. */
  readonly bar: string;
  /** How many cases `npm test` runs. */
  readonly cases: number;
  /** How many cases the whole bench runs. */
  readonly benchCases: number;
  /** Runs the corpus and then the generated cases; throws at the first that fails. */
  readonly run: (work: Work) => Promise<Figures>;
}

export interface Work {
  readonly cases: number;
  readonly seed: number;
  /** Whether to measure times, which takes repetitions: only the benchmark does. */
  readonly isTimed?: boolean;
  readonly onProgress: (done: number) => void;
}

export interface Figures {
  /** Number of generated cases that ran, without the corpus. */
  readonly cases: number;
  readonly replayed: number;
  /** Their outcomes as text. */
  readonly outcome: string;
  /** Whether the bars on time hold, which no test asserts. */
  readonly isWithinTime?: boolean;
}

/** A case that once failed; the family defines its input. */
export interface FoundCase<Input> {
  readonly name: string;
  readonly input: Input;
}

/** The found cases of a family, oldest first. */
export function readCorpus<Input>(id: FamilyId): readonly FoundCase<Input>[] {
  const file = new URL(`corpus/${id.toLowerCase()}.json`, import.meta.url);
  // The files are written by hand in the format of their family.
  return JSON.parse(readFileSync(file, 'utf8')) as FoundCase<Input>[];
}

/** Runs each found case; a failure names it. */
export async function replay<Input>(
  id: FamilyId,
  check: (input: Input) => unknown,
): Promise<number> {
  const corpus = readCorpus<Input>(id);
  for (const { input, name } of corpus) {
    try {
      await check(input);
    } catch (error) {
      throw new Error(`${id} failed on ${name} of its corpus`, { cause: error });
    }
  }
  return corpus.length;
}

/** Runs generated cases, `atOnce` of them concurrently, because each mostly waits. */
export async function checkGenerated<Case>(
  arbitrary: fc.Arbitrary<Case>,
  { atOnce, cases, onProgress, seed }: Work & { readonly atOnce: number },
  check: (batch: Case[]) => Promise<void>,
): Promise<number> {
  const numRuns = Math.ceil(cases / atOnce);
  let runs = 0;
  const batches = fc.array(arbitrary, { minLength: atOnce, maxLength: atOnce });
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      await check(batch);
      runs += 1;
      onProgress(Math.min(runs, numRuns) * atOnce);
    }),
    { numRuns, seed },
  );
  return numRuns * atOnce;
}

/** For files that share the cases of a family. */
export interface TestOptions {
  /** The number of this part; each part makes different choices. */
  readonly part?: number;
  /** The share of the cases in this part. */
  readonly share?: number;
}

/** Declares the test of a family. */
export function itHolds(family: Family, { part = 0, share = 1 }: TestOptions = {}): void {
  const cases = shareOfRuns(family.cases * share);
  it(`${family.id} ${family.title}: ${family.bar}, in ${cases} cases`, async (t) => {
    const seed = pickSeed();
    try {
      const work = { cases, seed: seed + part, onProgress: () => undefined };
      t.diagnostic((await family.run(work)).outcome);
    } catch (error) {
      const message = `${family.id} failed; TEST_SEED=${seed} makes the same choices again`;
      throw new Error(message, { cause: error });
    }
  });
}
