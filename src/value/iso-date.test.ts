import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRfc3339 } from './iso-date.ts';

const NOON = Date.UTC(2026, 1, 28, 12);

test('an RFC 3339 time is one moment, in any letter case and with any offset', () => {
  for (const text of [
    '2026-02-28T12:00:00Z',
    '2026-02-28t12:00:00z',
    '2026-02-28 12:00:00Z',
    '2026-02-28T14:30:00+02:30',
    '2026-02-28T12:00:00.0001234567891Z',
  ]) {
    assert.equal(parseRfc3339(text), NOON, text);
  }
});

test('a day, an hour or an offset that does not exist is no time', () => {
  for (const text of [
    '2026-02-30T12:00:00Z',
    '2026-02-28T24:00:00Z',
    '2026-02-28T12:00:60Z',
    '2026-02-28T12:00:00+24:00',
    '2026-02-28T12:00:00',
    '2026-02-28',
  ]) {
    assert.equal(parseRfc3339(text), undefined, text);
  }
});
