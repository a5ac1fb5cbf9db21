// F1 and F3: a service that is killed under write load, at random and at named points, loses no
// acknowledged write and tears none. A service that answers before it commits must be detected.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pickSeed } from '../../src/value/testing/share-of-runs.ts';
import { type CrashOptions, runCrashCycles } from './crash-cycles.ts';
import { TemporaryDirectory } from './directory.ts';
import { InProcessGridkeep } from './in-process-gridkeep.ts';
import { pickSize } from './sizes.ts';

async function crash(options: Omit<CrashOptions, 'data' | 'seed'>) {
  using directory = new TemporaryDirectory();
  const seed = pickSeed();
  const figures = await runCrashCycles({
    mostAcknowledgements: pickSize({ quick: 100, short: 250 }),
    ...options,
    data: directory.join('data'),
    seed,
  });
  return { ...figures, seed };
}

async function survive(options: Omit<CrashOptions, 'data' | 'seed'>): Promise<void> {
  const { acknowledged, lost, seed, torn, unexpected } = await crash(options);
  assert.deepEqual(
    { lost, torn, unexpected },
    { lost: [], torn: [], unexpected: [] },
    `TEST_SEED=${seed}`,
  );
  assert.ok(acknowledged > 0, 'something was written');
}

describe('F1 kill -9 under write load', () => {
  const cycles = pickSize({ quick: 1, short: 20 });

  it(`loses and tears nothing in ${cycles} cycles`, () => survive({ cycles }));

  it('loses and tears nothing when the clients lost their connections before', () =>
    survive({ cycles: pickSize({ quick: 1, short: 2 }), disconnectAt: 1 }));

  it('control: a service that answers before it commits is detected', async () => {
    const { lost, seed } = await crash({ cycles: 5, fault: 'early-answer', untilLoss: true });
    assert.ok(lost.length > 0, `nothing was lost: TEST_SEED=${seed}`);
  });
});

describe('F3 crash at a named point', () => {
  const cycles = pickSize({ quick: 1, short: 2 });
  for (const fault of ['before-commit', 'after-commit', 'mid-write'] as const) {
    // A multi-key write passes mid-write once per key, an update of a query once.
    it(`loses and tears nothing: ${fault}`, () => survive({ cycles, fault, passes: 60 }));
  }

  it('loses and tears nothing: mid-drain', () =>
    survive({ cycles, fault: 'mid-drain', passes: 2, stops: true }));

  it('is refused outside tests', async () => {
    const { code, err } = await InProcessGridkeep.refuse({
      fault: 'before-commit:1',
      environment: { NODE_ENV: 'production' },
    });
    assert.equal(code, 2);
    assert.match(err, /^gridkeep: testing\.fault breaks the service on purpose.*\n$/);
  });

  it('is refused when there is no such point', async () => {
    const { code, err } = await InProcessGridkeep.refuse({ fault: 'nowhere:1' });
    assert.equal(code, 1);
    assert.equal(err, 'gridkeep: nowhere:1 is not a fault that testing.fault knows\n');
  });
});
