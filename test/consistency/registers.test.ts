// C1: operations on one key are linearizable, also when the service is killed. Three mutants that are
// not must be detected.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pickSeed } from '../../src/value/testing/share-of-runs.ts';
import { TemporaryDirectory } from '../faults/directory.ts';
import { pickSize } from '../faults/sizes.ts';
import { type HistoryFigures, type HistoryOptions, recordHistories } from './key-histories.ts';

async function record(
  options: Partial<HistoryOptions>,
): Promise<HistoryFigures & { seed: number }> {
  using directory = new TemporaryDirectory();
  const seed = pickSeed();
  const size = {
    keys: pickSize({ quick: 8, short: 16 }),
    clientsPerKey: 4,
    operations: 25,
    kills: 0,
  };
  const figures = await recordHistories({
    data: directory.join('data'),
    seed,
    ...size,
    ...options,
  });
  return { ...figures, seed };
}

async function accept(options: Partial<HistoryOptions>): Promise<void> {
  const { operations, seed, violations } = await record(options);
  assert.deepEqual(violations, [], `TEST_SEED=${seed}`);
  assert.ok(operations > 0);
}

async function detect(options: Partial<HistoryOptions>): Promise<void> {
  const { seed, violations } = await record(options);
  assert.ok(violations.length > 0, `the fault is not detected: TEST_SEED=${seed}`);
}

describe('C1 single keys are linearizable', () => {
  it('while the service runs', () => accept(pickSize({ quick: {}, short: { keys: 64 } })));

  it('across kill -9', () =>
    accept(pickSize({ quick: { kills: 1 }, short: { keys: 32, operations: 25, kills: 3 } })));

  it('mutant: a stale cache is detected', () =>
    detect({
      mutate: (send, random) => {
        const cache = new Map<string, Awaited<ReturnType<typeof send>>>();
        return async (method, path, body) => {
          const isStale = method === 'GET' && cache.has(path) && random.between(1, 10) === 1;
          if (isStale) return cache.get(path);
          const reply = await send(method, path, body);
          if (method === 'GET') cache.set(path, reply);
          return reply;
        };
      },
    }));

  it('mutant: an answer before the commit is detected', () =>
    detect({ keys: 16, fault: 'early-answer', kills: 1 }));

  it('mutant: dropping one write in a hundred is detected', () =>
    detect({
      keys: 32,
      mutate: (send, random) => async (method, path, body) => {
        const isDropped = method === 'PUT' && random.between(1, 100) === 1;
        return isDropped ? { status: 200, headers: {}, text: '' } : send(method, path, body);
      },
    }));
});
