// F2: power cuts under write load. Needs root, and is skipped otherwise.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { pickSeed } from '../../src/value/testing/share-of-runs.ts';
import { TemporaryDirectory } from './directory.ts';
import { LoopDisk } from './loop-disk.ts';
import { runPowerCuts } from './power-cuts.ts';
import { pickSize } from './sizes.ts';

const DISK_MIB = 96;

async function cut(t: TestContext, options: { readonly cycles: number; readonly fault?: string }) {
  using directory = new TemporaryDirectory();
  const disk = await LoopDisk.create(directory.path, DISK_MIB);
  if (typeof disk === 'string') {
    t.skip(disk);
    return undefined;
  }
  await using owned = disk;
  const seed = pickSeed();
  const mostAcknowledgements = pickSize({ quick: 100, short: 200 });
  const figures = await runPowerCuts({ disk: owned, mostAcknowledgements, seed, ...options });
  return { seed, ...figures };
}

describe('F2 power cut', () => {
  const cycles = pickSize({ quick: 1, short: 10 });

  it(`loses and tears nothing in ${cycles} power cuts`, async (t) => {
    const figures = await cut(t, { cycles });
    if (figures === undefined) return;
    const { acknowledged, lost, seed, torn } = figures;
    assert.deepEqual({ lost, torn }, { lost: [], torn: [] }, `TEST_SEED=${seed}`);
    assert.ok(acknowledged > 0, 'something was written');
  });

  it('control: a service that never syncs loses writes in one of five', async (t) => {
    const figures = await cut(t, { cycles: 5, fault: 'no-sync' });
    if (figures === undefined) return;
    assert.ok(figures.lost.length > 0, `TEST_SEED=${figures.seed}`);
  });
});
