import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../config/load-config.ts';
import { SETTINGS } from '../config/setting-table.ts';
import { MAX_VALUE_BYTES } from '../engine/entry-limits.ts';
import { columnBudgetBytes, toServerLimits } from './service-limits.ts';

const MIB = 2 ** 20;

test('columns take as much as the setting allows, at most a quarter of the memory', () => {
  assert.equal(columnBudgetBytes(512 * MIB, 16_384 * MIB), 512 * MIB);
  assert.equal(columnBudgetBytes(512 * MIB, 256 * MIB), 64 * MIB);
  assert.equal(columnBudgetBytes(0, 256 * MIB), 0);
});

test('a head takes no longer than its request, and no socket is closed while its query runs', async () => {
  const limitsOf = async (environment: Record<string, string>) => {
    const outcome = await loadConfig({ environment, workingDirectory: '/' });
    assert.ok(outcome.kind === 'loaded');
    return toServerLimits(outcome.config);
  };
  const short = await limitsOf({ GRIDKEEP_LIMITS_REQUEST_TIMEOUT_MS: '5000' });
  assert.deepEqual([short.headersTimeoutMs, short.requestTimeoutMs], [5_000, 5_000]);
  const idleMs = async (queryMs: string) =>
    (await limitsOf({ GRIDKEEP_QUERY_MAX_EXECUTION_TIME_MS: queryMs })).idleSocketMs;
  assert.equal(await idleMs('5000'), 60_000);
  assert.equal(await idleMs('90000'), 91_000);
  assert.equal(await idleMs('0'), 2 ** 31 - 1);
});

test('no setting allows a value that the store could not read back', () => {
  const { type } = SETTINGS['limits.value-bytes'];
  assert.ok('max' in type && type.max <= MAX_VALUE_BYTES);
});
