// Ranges of keys in a store that was not checked when it was opened. Reads are right, or the store
// reports that it is damaged. A damaged key must not shorten a range silently.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { KeyRange } from '../../../src/engine/engine.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { toKeyWindow } from '../../../src/engine/key-window.ts';
import { ReadView } from '../../../src/engine/sqlite/read-view.ts';
import { pickSize } from '../sizes.ts';
import { BitFlips } from './bit-flips.ts';

const ALL_ROWS = 1000;
const BOUNDS: readonly KeyRange[] = [
  {},
  { from: 'order-1', to: 'order-2' },
  { from: 'order-11', to: 'order-12' },
  { prefix: 'order-1' },
  { after: 'order-11', from: 'order-1', to: 'order-3' },
  { to: 'order-11' },
];
const RANGES: readonly KeyRange[] = BOUNDS.flatMap((range) => [range, { ...range, order: 'desc' }]);

/** In the quick form every third bit, so that each byte has some, and each place in a byte is reached. */
const STEP = pickSize({ quick: 3, short: 1 });

let directory: string;
let flips: BitFlips;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gridkeep-ranges-'));
  flips = await BitFlips.open(directory);
  mkdirSync(join(directory, 'copy'));
});

after(() => rmSync(directory, { recursive: true }));

/** The keys and values of each range; `refused` where the store reports that it is damaged. */
function readRanges(bytes: Buffer): readonly string[] {
  const file = join(directory, 'copy', 'gridkeep.db');
  writeFileSync(file, bytes);
  const view = new ReadView(file);
  try {
    view.pin();
    const region = view.findRegion('orders');
    assert.ok(region !== undefined);
    return RANGES.flatMap((range) => [
      orRefused(() =>
        view.statementsOf(region).window.readKeys(toKeyWindow(range), ALL_ROWS).keys.join(),
      ),
      orRefused(() => {
        const { batch, keys } = view
          .statementsOf(region)
          .window.readEntries(toKeyWindow(range), ALL_ROWS);
        return `${keys.join()} ${Buffer.from(batch?.values.bytes ?? []).toString()}`;
      }),
    ]);
  } finally {
    view.close();
  }
}

function orRefused(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof EngineError && error.code === 'engine/store-damaged') return 'refused';
    // SQLite itself detects broken structures; the snapshot translates its error.
    if (error instanceof Error && 'errcode' in error) return 'refused';
    throw error;
  }
}

for (const key of ['k', 'order-11', 'order-19', '\ufb01']) {
  it(`reads ranges right or not at all when a bit of the entry ${key} is flipped`, () => {
    const expected = readRanges(flips.file);
    assert.ok(!expected.includes('refused'));
    let refused = 0;
    for (const record of flips.findRecords(key)) {
      for (let bit = 0; bit < 12 * 8; bit += STEP) {
        const bytes = Buffer.from(flips.file);
        const at = record + (bit >> 3);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
        for (const [i, answer] of readRanges(bytes).entries()) {
          if (answer === 'refused') refused += 1;
          else assert.equal(answer, expected[i], `bit ${bit}, ${JSON.stringify(RANGES[i >> 1])}`);
        }
      }
    }
    assert.ok(refused > 0);
  });
}
