import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../config/load-config.ts';
import { SETTINGS } from '../config/setting-table.ts';
import { MAX_VALUE_BYTES } from '../engine/entry-limits.ts';
import { defaultLimits } from '../grid/index.ts';
import { columnBudgetBytes, toGridLimits } from './service-limits.ts';

const MIB = 2 ** 20;

test('columns take what the setting says, and a quarter of the memory at most', () => {
  assert.equal(columnBudgetBytes(512 * MIB, 16_384 * MIB), 512 * MIB);
  assert.equal(columnBudgetBytes(512 * MIB, 256 * MIB), 64 * MIB);
  assert.equal(columnBudgetBytes(0, 256 * MIB), 0);
});

test('no setting lets in a value that the store could not give back', () => {
  const { type } = SETTINGS['limits.value-bytes'];
  assert.ok('max' in type && type.max <= MAX_VALUE_BYTES);
});

test('the limits of a grid without settings are the defaults of the settings', async () => {
  const loaded = await loadConfig({ environment: {}, workingDirectory: import.meta.dirname });
  assert.ok(loaded.kind === 'loaded');
  const { config } = loaded;
  // What this machine has memory for is another matter.
  const columnBudgetBytes = config.columns.memoryBudgetBytes;
  assert.deepEqual({ ...toGridLimits(config), columnBudgetBytes }, defaultLimits);
});
