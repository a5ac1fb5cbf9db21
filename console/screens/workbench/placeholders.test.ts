import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPlaceholders } from './placeholders.ts';

test('placeholders are found once, by number or as they occur', () => {
  assert.deepEqual(findPlaceholders('SELECT * FROM /o WHERE a = $2 AND b = $1 OR c = $2'), [
    '$1',
    '$2',
  ]);
  assert.deepEqual(findPlaceholders('a = :to AND b > :from AND c = :to'), [':to', ':from']);
});

test('texts, quoted names and comments have no placeholders', () => {
  const text = `SELECT "$1" FROM /o WHERE a = 'it''s $2 :x' -- :y\n AND b /* $3 */ = :z`;
  assert.deepEqual(findPlaceholders(text), [':z']);
  assert.deepEqual(findPlaceholders("a = 'never closed $1"), []);
});

test('the name of a projection is no placeholder', () => {
  assert.deepEqual(findPlaceholders('SELECT id:o.id, "a b":o.n, c :o.c FROM /o o LIMIT:n'), [':n']);
  const text = 'select distinct :a, case :b when 1 then 2 end, not :c, total:x from /o';
  assert.deepEqual(findPlaceholders(text), [':a', ':b', ':c']);
});
