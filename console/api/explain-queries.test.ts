import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dummyParameters } from './explain-queries.ts';

test('parameters are counted outside of texts', () => {
  assert.deepEqual(dummyParameters("SELECT * FROM /a x WHERE x.b = $2 AND x.c = '$9'"), ['', '']);
  assert.deepEqual(dummyParameters("SELECT * FROM /a x WHERE x.b = :least AND x.c = ':no'"), {
    least: '',
  });
  assert.deepEqual(dummyParameters('SELECT * FROM /a'), []);
});
