import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultLimits } from '../app/testing/default-limits.ts';
import { DEFAULT_PARSE_LIMITS } from '../oql/syntax/parser.ts';
import { toParseLimits } from './limits.ts';

test('texts of indexes, which have no settings, may be as long as texts of queries by default', () => {
  assert.deepEqual(DEFAULT_PARSE_LIMITS, toParseLimits(defaultLimits));
});
