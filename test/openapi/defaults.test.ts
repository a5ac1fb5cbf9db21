// The OpenAPI document describes the default limits: a layer below knows no settings, so they are
// compared here.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SETTINGS } from '../../src/config/setting-table.ts';
import { keysParameter } from '../../src/http/openapi/parameters.ts';
import { key } from '../../src/http/openapi/schema-parts.ts';

test('the described limits of keys are the defaults of the settings', () => {
  assert.equal(key.maxLength, SETTINGS['limits.key-bytes'].fallback);
  assert.equal(Object(keysParameter.schema).maxItems, SETTINGS['limits.keys-per-request'].fallback);
});
