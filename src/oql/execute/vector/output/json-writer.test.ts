import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseJson } from '../../../../value/json-parse.ts';
import { printJson } from '../../../../value/json-print.ts';
import { DOUBLE, INTEGER } from '../../../../value/row-tags.ts';
import { Double } from '../../../../value/value.ts';
import type { SourceColumn } from '../../../columnar/column-source.ts';
import type { Vector } from '../frames/vector.ts';
import { JsonWriter, printStored } from './json-writer.ts';

const NO_STRINGS = {
  size: 0,
  bytes: new Uint8Array(0),
  ends: new Uint32Array(0),
  start: () => 0,
  text: () => '',
  findText: () => undefined,
  find: () => undefined,
};
const column: SourceColumn = {
  chunk: () => {
    throw new Error('not read here');
  },
  strings: NO_STRINGS,
  texts: NO_STRINGS,
  answers: new Map(),
};

function write(tag: number, value: number): string {
  const vector: Vector = {
    tags: Uint8Array.of(tag),
    numbers: Float64Array.of(value),
    ids: new Uint32Array(0),
    texts: new Uint32Array(0),
    mask: 1 << tag,
    lowest: value,
    highest: value,
  };
  const writer = new JsonWriter();
  writer.writeValue(vector, 0, column);
  return new TextDecoder().decode(writer.take());
}

describe('the JSON of numbers in columns', () => {
  it('is that of the same integer', () => {
    const integer = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: -20, max: 20 }));
    fc.assert(
      fc.property(integer, (value) => {
        assert.equal(write(INTEGER, value + 0), printJson(value + 0));
      }),
    );
  });

  it('is that of the same double', () => {
    const amount = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => cents / 100);
    const large = fc.integer().map((value) => value * 1e9 + 0.5);
    const double = fc.oneof(amount, large, fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(double, (value) => {
        fc.pre(!Object.is(value, -0));
        assert.equal(write(DOUBLE, value), printJson(new Double(value)));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a stored value', () => {
  it('is printed as the value it stands for', () => {
    for (const text of [
      '{"a":1.50}',
      '["\\u00e9",1e3]',
      '{"@type":"T","x":{"@type":"U"}}',
      '"\\/"',
    ]) {
      assert.equal(printStored(text), printJson(parseJson(text)));
    }
  });

  it('is so whatever its members are called and its strings say', () => {
    const word = fc.constantFrom(
      '@type',
      'x@type',
      'type-class',
      'a-class',
      '"@type":',
      '\\',
      'é',
      '"',
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        word,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(word, tie('value'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(value, (any) => {
        const text = JSON.stringify(any);
        assert.equal(printStored(text), printJson(parseJson(text)));
      }),
      { numRuns: 1000 },
    );
  });
});
