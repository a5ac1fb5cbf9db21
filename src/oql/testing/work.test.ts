// I5: parsing and binding take time proportional to the length of any text. Work is counted in
// function calls, so the outcome is the same on any machine.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FAMILIES } from './adversarial-texts.ts';

interface Counts {
  readonly lengths: readonly number[];
  readonly counts: Readonly<Record<string, readonly number[]>>;
}

async function countWork(): Promise<Counts> {
  const program = fileURLToPath(new URL('./count-work.ts', import.meta.url));
  const { NODE_V8_COVERAGE: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  // The program prints only the counts.
  return JSON.parse(stdout) as Counts;
}

/** A letter takes at most a few calls, a word some dozens. */
const MAX_CALLS_PER_UNIT = 80;
/** The weight of a text bounds the work, whatever its parts are. */
const MAX_CALLS = 700_000;
/** The fixed cost of nesting weighs more in short texts than in long ones. */
const TOLERANCE = 1.5;

describe('preparing a query', () => {
  let work: Counts;
  before(async () => {
    work = await countWork();
  });

  for (const name of Object.keys(FAMILIES)) {
    it(`takes work proportional to the length of the text for ${name}`, () => {
      const { lengths, counts } = work;
      const [short = 0, long = 0] = counts[name] ?? [];
      const [shortest = 1, longest = 0] = lengths;
      assert.ok(long > 0, 'nothing was counted');
      assert.ok(long <= short * (longest / shortest) * TOLERANCE, `${short} calls become ${long}`);
      assert.ok(long <= longest * MAX_CALLS_PER_UNIT, `${long} calls`);
      assert.ok(long <= MAX_CALLS, `${long} calls`);
    });
  }
});
