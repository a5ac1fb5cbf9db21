import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Temporal } from '../../value/value.ts';
import { parseDateByPattern } from './parse-date.ts';

function read(text: string, pattern: string): Date {
  const value = parseDateByPattern(text, pattern);
  assert.ok(value instanceof Temporal, `${text} by ${pattern}: ${String(value)}`);
  return new Date(value.epochMs);
}

describe('date patterns', () => {
  it('read every field', () => {
    assert.deepEqual(
      read('2024-03-05 06:07:08.009', 'yyyy-MM-dd HH:mm:ss.SSS'),
      new Date(2024, 2, 5, 6, 7, 8, 9),
    );
    assert.deepEqual(read('2024 60', 'yyyy D'), new Date(2024, 0, 60));
    assert.deepEqual(read('Mon, 5 march 24', 'EEE, d MMM yy'), new Date(2024, 2, 5));
    assert.deepEqual(read('2024 3 24', 'yyyy M kk'), new Date(2024, 2, 1));
    assert.deepEqual(read('12 AM', 'hh a'), new Date(1970, 0, 1, 0));
    assert.deepEqual(read('12 PM', 'hh a'), new Date(1970, 0, 1, 12));
    assert.deepEqual(read('11 pm', 'KK a'), new Date(1970, 0, 1, 23));
    assert.deepEqual(read('2024 1', 'yyyy u'), new Date(2024, 0, 1));
    assert.deepEqual(read("5 o'clock", "h 'o''clock'"), new Date(1970, 0, 1, 5));
    assert.deepEqual(read("5'6", "h''m"), new Date(1970, 0, 1, 5, 6));
  });

  it('read two-digit years within 1950 to 2049, longer ones as they are', () => {
    assert.equal(read('49', 'yy').getFullYear(), 2049);
    assert.equal(read('50', 'yy').getFullYear(), 1950);
    assert.equal(read('1850', 'yy').getFullYear(), 1850);
    assert.equal(read('5', 'yyyy').getFullYear(), 5);
  });

  it('read fields that touch by their widths', () => {
    assert.deepEqual(read('20240305', 'yyyyMMdd'), new Date(2024, 2, 5));
    assert.deepEqual(read('240305', 'yyMMdd'), new Date(2024, 2, 5));
  });

  it('read zones', () => {
    const instant = Date.UTC(2024, 0, 1, 10, 30);
    assert.equal(read('2024-01-01 10:30 +0000', 'yyyy-MM-dd HH:mm Z').getTime(), instant);
    assert.equal(read('2024-01-01 10:30 Z', 'yyyy-MM-dd HH:mm X').getTime(), instant);
    assert.equal(read('2024-01-01 12:30 GMT+2:00', 'yyyy-MM-dd HH:mm z').getTime(), instant);
    assert.equal(read('2024-01-01 05:00 -05:30', 'yyyy-MM-dd HH:mm X').getTime(), instant);
  });

  it('say what is wrong', () => {
    assert.equal(parseDateByPattern('2024', 'yyyy-MM'), 'no-match');
    assert.equal(parseDateByPattern('x', 'MMM'), 'no-match');
    assert.equal(parseDateByPattern('x', 'EEE'), 'no-match');
    assert.equal(parseDateByPattern('10 xm', 'hh a'), 'no-match');
    assert.equal(parseDateByPattern('somewhere', 'z'), 'no-match');
    assert.equal(parseDateByPattern('99999999999999', 'yyyy'), 'no-match');
    assert.equal(parseDateByPattern('2024', 'yyyy b'), 'bad-pattern');
    assert.equal(parseDateByPattern('2024', "yyyy 'T"), 'bad-pattern');
  });
});
