import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DOUBLE, INTEGER } from '../../../../value/row-tags.ts';
import { NO_IDS, type Vector } from '../frames/vector.ts';
import { findInWindow, NumberCodes, openWindow, UNSEEN } from './number-codes.ts';

const number = fc
  .oneof(
    fc.integer({ min: -50, max: 50 }),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(1e-300, -1e-300, 0.5, 2 ** 31, 2 ** 32, -(2 ** 31), 2 ** 53),
  )
  .map((value) => value + 0);

function codesOf(values: readonly number[]): NumberCodes {
  const codes = new NumberCodes();
  for (const [code, value] of values.entries()) codes.add(value, code);
  return codes;
}

/** A vector like that of a column. */
function vectorOf(numbers: Float64Array): Vector {
  const tags = Uint8Array.from(numbers, (each) => (Number.isSafeInteger(each) ? INTEGER : DOUBLE));
  const mask = tags.reduce((bits, tag) => bits | (1 << tag), 0);
  const bounds = { lowest: Math.min(...numbers), highest: Math.max(...numbers) };
  return { tags, numbers, ids: NO_IDS, texts: NO_IDS, mask, ...bounds };
}

/** Runs all steps. */
function finish<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('codes of numbers', () => {
  it('are found as in a map', () => {
    fc.assert(
      fc.property(fc.uniqueArray(number, { maxLength: 300 }), number, (values, other) => {
        const codes = codesOf(values);
        assert.equal(codes.size, values.length);
        for (const value of [...values, other]) {
          assert.equal(codes.find(value), values.indexOf(value));
        }
      }),
    );
  });

  it('are found at any time while the table grows', () => {
    const codes = new NumberCodes();
    for (let value = 0; value < 3000; value += 1) {
      codes.add(value * 1.5, value);
      assert.equal(codes.find(value * 1.5), value);
      assert.equal(codes.find((value >> 1) * 1.5), value >> 1);
      assert.equal(codes.find(-1 - value), UNSEEN);
    }
    const found: number[] = [];
    finish(
      codes.visit((value, code) => {
        assert.equal(value, code * 1.5);
        found[code] = value;
      }),
    );
    assert.equal(found.length, 3000);
  });

  it('are found by offset for integers that are close together', () => {
    const low = fc.constantFrom(0, -3, 70_000, -(2 ** 53) + 1, 2 ** 53 - 400);
    const offsetLists = fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { minLength: 40 });
    fc.assert(
      fc.property(low, offsetLists, fc.array(number), (first, offsets, others) => {
        const values = offsets.map((offset) => first + offset);
        const window = finish(openWindow(codesOf(values)));
        const probes = Float64Array.from([...values, ...others, first - 1, first + 301]);
        const found = new Int32Array(probes.length);
        findInWindow(vectorOf(probes), probes.length, found, window);
        probes.forEach((value, at) => {
          assert.equal(found[at], values.indexOf(value));
        });
      }),
    );
  });

  it('are found at the same offsets when no number is outside the window', () => {
    const offsetLists = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 10 });
    fc.assert(
      fc.property(fc.constantFrom(0, -3, 2 ** 53 - 61), offsetLists, (first, offsets) => {
        const values = offsets.map((offset) => first + offset);
        const window = finish(openWindow(codesOf(values)));
        const probes = Float64Array.from(window.codes, (_, at) => window.low + at);
        const found = new Int32Array(probes.length);
        findInWindow(vectorOf(probes), probes.length, found, window);
        probes.forEach((value, at) => {
          assert.equal(found[at], values.indexOf(value));
        });
      }),
    );
  });

  it('are visited in steps of bounded work', () => {
    const codes = codesOf(Array.from({ length: 100_000 }, (_, value) => value));
    let inStep = 0;
    let maxInStep = 0;
    let steps = 0;
    const visiting = codes.visit(() => {
      inStep += 1;
      maxInStep = Math.max(maxInStep, inStep);
    });
    for (const _ of visiting) {
      inStep = 0;
      steps += 1;
    }
    assert.ok(maxInStep <= 1 << 15, `${maxInStep} numbers`);
    assert.ok(steps >= 4, `${steps} steps`);
  });

  it('need no window when there are no numbers, or when they are far apart', () => {
    assert.equal(finish(openWindow(codesOf([]))).codes.length, 0);
    assert.equal(finish(openWindow(codesOf([1, 1e6]))).codes.length, 0);
    assert.equal(finish(openWindow(codesOf([1, 1.5]))).codes.length, 0);
    assert.equal(new NumberCodes().find(1), UNSEEN);
  });
});
