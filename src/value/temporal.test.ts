import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDate, parseTime, parseTimestamp, printTemporal } from './temporal.ts';
import { Temporal } from './value.ts';

describe('temporal literals', () => {
  it('are read in the local time zone', () => {
    assert.equal(parseDate('2024-02-29')?.epochMs, new Date(2024, 1, 29).getTime());
    assert.equal(parseTime('23:59:01')?.epochMs, new Date(1970, 0, 1, 23, 59, 1).getTime());
    const timestamp = parseTimestamp('2024-01-02 03:04:05.123456789');
    assert.equal(timestamp?.epochMs, new Date(2024, 0, 2, 3, 4, 5, 123).getTime());
    assert.equal(timestamp?.nanos, 123456789);
    assert.equal(
      parseDate('0050-01-01')?.epochMs,
      new Date(new Date(2000, 0, 1).setFullYear(50)).getTime(),
    );
  });

  it('refuse fields out of range and other forms', () => {
    for (const text of [
      '2024-13-01',
      '2024-00-01',
      '2024-01-32',
      '2024-1',
      '20240101',
      '-2024-01-01',
    ]) {
      assert.equal(parseDate(text), undefined, text);
    }
    for (const text of ['24:00:00', '00:60:00', '00:00:60', '1:2']) {
      assert.equal(parseTime(text), undefined, text);
    }
    assert.equal(parseTimestamp('2024-01-01'), undefined);
    assert.equal(parseTimestamp('2024-01-01 00:00:00.1234567890'), undefined);
  });

  it('print as they are written', () => {
    const read = [
      parseDate('2024-02-29'),
      parseTime('23:59:01'),
      parseTimestamp('2024-01-02 03:04:05.5'),
      parseTimestamp('2024-01-02 03:04:05'),
    ];
    assert.deepEqual(
      read.map((value) => value && printTemporal(value)),
      ['2024-02-29', '23:59:01', '2024-01-02 03:04:05.5', '2024-01-02 03:04:05.0'],
    );
    const before1970 = new Temporal('instant', new Date(1969, 11, 31, 23, 59, 59, 250).getTime());
    assert.equal(printTemporal(before1970), '1969-12-31 23:59:59.25');
  });
});
