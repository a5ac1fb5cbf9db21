import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Dictionary, SourceColumn } from '../../../../value/column-data.ts';
import { printJson } from '../../../../value/json-print.ts';
import { DOUBLE, INTEGER, NULL, STRING } from '../../../../value/row-tags.ts';
import { shareOfRuns } from '../../../../value/testing/share-of-runs.ts';
import { Double } from '../../../../value/value.ts';
import { NO_IDS, type Vector } from '../frames/vector.ts';
import { JsonWriter, type WrittenMember } from './json-writer.ts';
import { NO_STRINGS, StringPhrases, toPhrase } from './phrases.ts';

const column: SourceColumn = {
  chunk: () => {
    throw new Error('not read here');
  },
  strings: NO_STRINGS,
  texts: NO_STRINGS,
  testResults: new Map(),
};

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
  const members = [{ prefix: COMMA, vector, strings, column }];
  writer.writeMembers({ members, isObject: false }, Uint32Array.of(0));
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
    const order = fc.shuffledSubarray(['string', 'number', 'text', 'null'] as const, {
      minLength: 1,
    });
    const given = [fc.array(text, { minLength: 1 }), name, order, fc.array(row)] as const;
    fc.assert(
      fc.property(...given, (some, label, kinds, rows) => {
        const texts = Array.from({ length: 321 }, (_, id) => `${some[id % some.length]}${id % 7}`);
        const strings = dictionaryOf(texts);
        const numbers = Float64Array.from(rows, ([, number]) => number + 0);
        const shared = { numbers, texts: NO_IDS, lowest: -Infinity, highest: Infinity };
        const ids = Uint32Array.from(rows, ([id]) => id);
        const columnOf = (text: string, tag: number) => {
          const tags = new Uint8Array(rows.length).fill(tag);
          return {
            prefix: toPhrase(text),
            strings: new StringPhrases(strings, text),
            vector: { ...shared, ids, tags, mask: 1 << tag },
            column: { ...column, strings },
          };
        };
        const all = Uint32Array.from(rows, (_, at) => at);
        let first = 0;
        const prefixes = kinds.map((_, at) => (at === 0 ? `,${label}` : label));
        const members = kinds.map((kind, at): WrittenMember => {
          const prefix = prefixes[at] ?? '';
          if (kind !== 'text') return columnOf(prefix, TAG_OF[kind]);
          return { prefix: toPhrase(prefix), vector: undefined, print: (at) => `<${first + at}>` };
        });
        const writer = new JsonWriter();
        let printed = '';
        while (first < rows.length) {
          first += writer.writeMembers({ members, isObject: true }, all.subarray(first));
          printed += `,${new TextDecoder().decode(writer.take()?.json)}`;
        }
        const expected = rows.map(([id, number], at) => {
          const value = { string: JSON.stringify(texts[id]), number, text: `<${at}>`, null: null };
          return `${kinds.map((kind, at) => `${prefixes[at]}${value[kind]}`).join('')}}`;
        });
        assert.equal(printed, expected.join(''));
      }),
    );
  });
});

const TAG_OF = { string: STRING, number: INTEGER, null: NULL };
