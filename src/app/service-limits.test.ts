import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SETTINGS } from '../config/setting-table.ts';
import {
  DEFAULT_MAX_CHANGE_AGE_MS,
  DEFAULT_MAX_CHANGES,
  DEFAULT_MAX_SNAPSHOTS,
} from '../engine/default-bounds.ts';
import { MAX_VALUE_BYTES } from '../engine/entry-limits.ts';
import { columnBudgetBytes } from './service-limits.ts';

const MIB = 2 ** 20;

test('columns take as much as the setting allows, at most a quarter of the memory', () => {
  assert.equal(columnBudgetBytes(512 * MIB, 16_384 * MIB), 512 * MIB);
  assert.equal(columnBudgetBytes(512 * MIB, 256 * MIB), 64 * MIB);
  assert.equal(columnBudgetBytes(0, 256 * MIB), 0);
});

test('the default bounds of an engine are those of the settings', () => {
  assert.equal(SETTINGS['changes.max-count'].fallback, DEFAULT_MAX_CHANGES);
  assert.equal(SETTINGS['changes.max-age-ms'].fallback, DEFAULT_MAX_CHANGE_AGE_MS);
  assert.equal(SETTINGS['store.max-snapshots'].fallback, DEFAULT_MAX_SNAPSHOTS);
});

test('no setting allows a value that the store could not read back', () => {
  const { type } = SETTINGS['limits.value-bytes'];
  assert.ok('max' in type && type.max <= MAX_VALUE_BYTES);
});
