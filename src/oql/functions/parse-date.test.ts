import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Temporal } from '../../value/value.ts';
import { parseDateByPattern, parseDatePattern } from './parse-date.ts';

const NOW = new Date(2026, 6, 15).getTime();

function readDate(text: string, pattern: string): ReturnType<typeof parseDateByPattern> {
  const parts = parseDatePattern(pattern);
  assert.ok(parts !== undefined, pattern);
  return parseDateByPattern(text, parts, NOW);
}

function read(text: string, pattern: string): Date {
  const value = readDate(text, pattern);
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

  it('read two-digit years from 80 years ago to 20 years ahead, longer ones as they are', () => {
    assert.deepEqual(read('7/14/46', 'M/d/yy'), new Date(2046, 6, 14));
    assert.deepEqual(read('7/15/46', 'M/d/yy'), new Date(1946, 6, 15));
    assert.deepEqual(read('1/5/47', 'M/d/yy'), new Date(1947, 0, 5));
    assert.equal(read('99', 'yy').getFullYear(), 1999);
    assert.equal(read('00', 'yy').getFullYear(), 2000);
    assert.equal(read('26', 'yy').getFullYear(), 2026);
    assert.equal(read('1850', 'yy').getFullYear(), 1850);
    assert.equal(read('5', 'yyyy').getFullYear(), 5);
  });

  it('read adjacent fields by their widths', () => {
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

  it('refuse texts that do not match, and invalid patterns', () => {
    assert.equal(readDate('2024', 'yyyy-MM'), undefined);
    assert.equal(readDate('x', 'MMM'), undefined);
    assert.equal(readDate('x', 'EEE'), undefined);
    assert.equal(readDate('10 xm', 'hh a'), undefined);
    assert.equal(readDate('somewhere', 'z'), undefined);
    assert.equal(readDate('99999999999999', 'yyyy'), undefined);
    assert.equal(parseDatePattern('yyyy b'), undefined);
    assert.equal(parseDatePattern("yyyy 'T"), undefined);
  });
});
