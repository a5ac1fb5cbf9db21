import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Dictionary, SourceColumn } from '../../../../value/column-data.ts';
import { parseJson } from '../../../../value/json-parse.ts';
import { printJson } from '../../../../value/json-print.ts';
import { DOUBLE, INTEGER, STRING } from '../../../../value/row-tags.ts';
import { shareOfRuns } from '../../../../value/testing/share-of-runs.ts';
import { Double } from '../../../../value/value.ts';
import { NO_IDS, type Vector } from '../frames/vector.ts';
import { JsonWriter, printStored } from './json-writer.ts';
import { NO_STRINGS, StringPhrases, toPhrase } from './phrases.ts';

const column: SourceColumn = {
  chunk: () => {
    throw new Error('not read here');
  },
  strings: NO_STRINGS,
  texts: NO_STRINGS,
  answers: new Map(),
};

const NOTHING = toPhrase('');
const COMMA = toPhrase(',');

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
  const strings = new StringPhrases(NO_STRINGS, '');
  writer.writeMembers([{ prefix: NOTHING, vector, strings, column }], Uint32Array.of(0), COMMA);
  return new TextDecoder().decode(writer.take()?.json);
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
      { numRuns: shareOfRuns(10_000) },
    );
  });
});

/** Strings with the ids 0, 1, 2, …, without look-ups. */
function dictionaryOf(texts: readonly string[]): Dictionary {
  const encoded = texts.map((text) => new TextEncoder().encode(text));
  const bytes = new TextEncoder().encode(texts.join(''));
  let end = 0;
  const ends = Uint32Array.from(encoded, ({ length }) => {
    end += length;
    return end;
  });
  const start = (id: number): number => (id === 0 ? 0 : (ends[id - 1] ?? 0));
  return { ...NO_STRINGS, size: texts.length, bytes, ends, start, text: (id) => texts[id] ?? '' };
}

describe('rows of columns', () => {
  it('are printed as their values, each after its prefix', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 50 }),
      fc.constantFrom('', '"', 'a\\', '\n', '\u007f', '\u{1f600}\u007f', 'x'.repeat(100)),
    );
    const name = fc.string({ unit: 'grapheme', maxLength: 20 });
    // Strings beyond the first few hundred are not cached as printed JSON.
    const row = fc.tuple(fc.nat(320), fc.integer());
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), name, fc.array(row), (some, prefix, rows) => {
        const texts = Array.from({ length: 321 }, (_, id) => `${some[id % some.length]}${id % 7}`);
        const strings = dictionaryOf(texts);
        const numbers = Float64Array.from(rows, ([, number]) => number + 0);
        const shared = { numbers, texts: NO_IDS, lowest: -Infinity, highest: Infinity };
        const ids = Uint32Array.from(rows, ([id]) => id);
        const vectorOf = (tag: number): Vector => {
          const tags = new Uint8Array(rows.length).fill(tag);
          return { ...shared, ids, tags, mask: 1 << tag };
        };
        const written = [STRING, INTEGER].map((tag) => ({
          prefix: toPhrase(prefix),
          strings: new StringPhrases(strings, prefix),
          vector: vectorOf(tag),
          column: { ...column, strings },
        }));
        const writer = new JsonWriter();
        const all = Uint32Array.from(rows, (_, at) => at);
        let printed = '';
        for (let at = 0; at < rows.length; ) {
          at += writer.writeMembers(written, all.subarray(at), toPhrase(';,'));
          printed += `${new TextDecoder().decode(writer.take()?.json)},`;
        }
        const expected = rows.map(
          ([id, number]) => `${prefix}${JSON.stringify(texts[id])}${prefix}${number + 0};,`,
        );
        assert.equal(printed, expected.join(''));
      }),
    );
  });
});

describe('a stored value', () => {
  it('is printed as the value that it represents', () => {
    for (const text of [
      '{"a":1.50}',
      '["\\u00e9",1e3]',
      '{"@type":"T","x":{"@type":"U"}}',
      '"\\/"',
    ]) {
      assert.equal(printStored(text), printJson(parseJson(text)));
    }
  });

  it('is printed so with any member names and strings', () => {
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
      { numRuns: shareOfRuns(5_000) },
    );
  });
});
