// C2: no reader sees half of a transfer.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pickSeed } from '../../src/value/testing/share-of-runs.ts';
import { TemporaryDirectory } from '../faults/directory.ts';
import { pickSize } from '../faults/sizes.ts';
import { runBank } from './bank.ts';

describe('C2 bank', () => {
  const size = pickSize({
    quick: { transfers: 60, kills: 1, readers: 1 },
    short: { transfers: 500, kills: 3, readers: 2 },
  });

  it('shows the same total to every reader, also across kill -9', async () => {
    using directory = new TemporaryDirectory();
    const seed = pickSeed();
    const { reads, wrong } = await runBank({ data: directory.join('data'), seed, ...size });
    assert.deepEqual(wrong, [], `TEST_SEED=${seed}`);
    assert.ok(reads > size.transfers, `only ${reads} reads`);
  });

  it('control: transfers in two steps are detected', async () => {
    using directory = new TemporaryDirectory();
    const seed = pickSeed();
    const bank = { data: directory.join('data'), seed, ...size, kills: 0, isSplit: true };
    assert.notDeepEqual((await runBank(bank)).wrong, [], `TEST_SEED=${seed}`);
  });
});
