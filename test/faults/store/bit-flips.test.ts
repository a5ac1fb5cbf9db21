// Flips one bit at a time; `npm run bench:reliability` flips twenty thousand.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pickSeed, shareOfRuns } from '../../../src/value/testing/share-of-runs.ts';
import { BitFlips } from './bit-flips.ts';

const SEED = pickSeed();
const FLIPS = shareOfRuns(600);

/** Offsets of the column types within the record of an entry. */
const TYPE_AT = { key: 1, version: 2, seal: 3, value: 4 } as const;

describe('a store with one flipped bit', () => {
  let directory: string;
  let flips: BitFlips;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'gridkeep-flips-'));
    flips = await BitFlips.open(directory);
  });

  after(() => rmSync(directory, { recursive: true }));

  it('is right when nothing is flipped', async () => {
    assert.deepEqual(await flips.try(flips.file), { kind: 'right' });
  });

  it(`is refused or right, ${FLIPS} times`, async () => {
    let refused = 0;
    for (const bit of flips.chooseBits(FLIPS, SEED)) {
      const outcome = await flips.flip(bit);
      assert.notEqual(outcome.kind, 'wrong', `bit ${bit}, TEST_SEED=${SEED}: ${print(outcome)}`);
      if (outcome.kind === 'refused') refused += 1;
    }
    assert.ok(refused > FLIPS / 4, `only ${refused} were refused`);
  });

  // A text whose type lost its lowest bit is a BLOB: the bytes are the same, and so is their
  // checksum, but it is no text any more, and as a key sorts after all others.
  for (const [place, key] of [
    ['first', 'k'],
    ['middle', 'order-13'],
    ['large', 'order-11'],
    ['last', '\ufb01'],
  ] as const) {
    for (const column of ['key', 'version', 'seal', 'value'] as const) {
      it(`is refused or right when the ${column} of the ${place} entry is of another type`, async () => {
        const records = flips.findRecords(key);
        assert.ok(records.length > 0, 'the entry is found in the file');
        const outcomes: string[] = [];
        for (const record of records) {
          for (let bit = 0; bit < 8; bit += 1) {
            const outcome = await flips.flip((record + TYPE_AT[column]) * 8 + bit);
            assert.notEqual(outcome.kind, 'wrong', `bit ${bit}: ${print(outcome)}`);
            outcomes.push(outcome.kind);
          }
        }
        assert.ok(outcomes.includes('refused'));
      });
    }
  }
});

function print(outcome: Awaited<ReturnType<BitFlips['flip']>>): string {
  return outcome.kind === 'wrong' ? outcome.what : outcome.kind;
}
