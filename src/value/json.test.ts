import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isEqual } from './compare.ts';
import { equalJson } from './json-equal.ts';
import { parseJson } from './json-parse.ts';
import { printJson, printText } from './json-print.ts';
import {
  Char,
  Document,
  Double,
  Entry,
  RegionHandle,
  Struct,
  Temporal,
  UNDEFINED,
  ValueMap,
  ValueSet,
} from './value.ts';

const jsonTexts = fc.json({ maxDepth: 4 });

describe('parseJson', () => {
  it('keeps integers exact, doubles as doubles, and the text of both objects and fractions', () => {
    const value = parseJson('{"a":[1,20.0,1e2,12345678901234567890],"b":{"c":"x"},"d":-0}');
    assert.ok(value instanceof Document);
    assert.deepEqual(value.members.get('a'), [
      1,
      new Double(20, '20.0'),
      new Double(100, '1e2'),
      12345678901234567890n,
    ]);
    const inner = value.members.get('b');
    assert.ok(inner instanceof Document);
    assert.equal(inner.text, '{"c":"x"}');
    assert.ok(Object.is(value.members.get('d'), -0));
  });

  it('reads words, strings with and without escapes, blanks, and __proto__ as a member', () => {
    assert.deepEqual(parseJson('[true, false ,null]'), [true, false, null]);
    assert.equal(parseJson('"a\\"b\\\\"'), 'a"b\\');
    assert.equal(parseJson('"\\u00e9\\n"'), 'é\n');
    const value = parseJson('{"__proto__":{"x":1},"e":{},"l":[]}');
    assert.ok(value instanceof Document);
    assert.deepEqual([...value.members.keys()], ['__proto__', 'e', 'l']);
  });

  it('agrees with JSON.parse on every text', () => {
    fc.assert(
      fc.property(jsonTexts, (text) => {
        assert.deepEqual(JSON.parse(printJson(parseJson(text))), JSON.parse(text));
      }),
    );
  });

  it('refuses invalid JSON', () => {
    for (const text of ['', '[1', '{"a":1', '"abc', '"a\\"', 'tru', '1 2', '{a:1}', '[1,]', '@']) {
      assert.throws(() => parseJson(text), SyntaxError, text);
    }
  });
});

describe('printJson', () => {
  it('prints stored objects byte for byte', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const text = JSON.stringify(object);
        fc.pre(!text.includes('@type'));
        const value = parseJson(text);
        assert.ok(isEqual(parseJson(printJson(value)), value));
        if (!text.includes('\\u')) assert.equal(printJson(value), text);
      }),
    );
  });

  it('renames a stored @type in its place, at every level and however it is spelled', () => {
    const text = '{"a":1.50,"@type":"x.Order","items":[{"\\u0040type":"x.Item"}],"b":"@type"}';
    const printed =
      '{"a":1.50,"type-class":"x.Order","items":[{"type-class":"x.Item"}],"b":"@type"}';
    assert.equal(printJson(parseJson(text)), printed);
    assert.equal(printJson(parseJson('{"type-class":1,"@type":"T"}')), '{"type-class":"T"}');
  });

  it('prints values that JSON cannot express', () => {
    assert.equal(printJson(UNDEFINED), 'null');
    assert.equal(printJson([null, true, 'a"', new Double(Number.NaN)]), '[null,true,"a\\"",null]');
    assert.equal(printJson(new Char('x')), '"x"');
    assert.equal(printJson(new ValueSet([1, 2])), '[1,2]');
    assert.equal(printJson(new Struct(['a', 'b'], [1, UNDEFINED])), '{"a":1,"b":null}');
    assert.equal(printJson(new Entry('k', 1)), '{"key":"k","value":1}');
    assert.equal(printJson(new ValueMap([new Entry(1, 'a')])), '{"1":"a"}');
    assert.equal(printJson(new RegionHandle('r', 1, [new Entry('k', 7)])), '[7]');
    assert.equal(printJson(new Document(new Map([['a', 1]]))), '{"a":1}');
    const date = new Temporal('date', new Date(2024, 1, 29).getTime());
    assert.equal(printJson(date), '"2024-02-29"');
    assert.deepEqual([date, new Char('x'), 'y', 1].map(printText), ['2024-02-29', 'x', 'y', '1']);
  });
});

describe('equalJson', () => {
  it('compares numbers of a million digits without converting them', () => {
    const digits = '7'.repeat(1_000_000);
    assert.ok(equalJson(digits, `${digits}.0`));
    assert.ok(!equalJson(digits, `${digits.slice(1)}8`));
    assert.ok(equalJson(`1e${digits}`, `1E${digits}`));
    assert.ok(!equalJson(`1e${digits}`, `2e${digits}`));
  });

  it('compares values, not their spelling', () => {
    assert.ok(equalJson('{"a":10,"b":[1]}', '{"b":[1.0],"a":10.0}'));
    assert.ok(equalJson('[100,-0,0.50]', '[1e2,0.0,5E-1]'));
    assert.ok(equalJson('"\\u0041"', '"A"'));
    assert.ok(!equalJson('{"a":1}', '{"a":1,"b":1}'));
    assert.ok(!equalJson('{"a":1}', '{"b":1}'));
    assert.ok(!equalJson('[1,2]', '[2,1]'));
    assert.ok(!equalJson('[1]', '[1,1]'));
    assert.ok(!equalJson('1', '"1"'));
    assert.ok(!equalJson('[1]', '{"a":1}'));
    assert.ok(!equalJson('null', 'false'));
  });

  it('is exact where doubles are not', () => {
    assert.ok(!equalJson('12345678901234567890', '12345678901234567891'));
    assert.ok(!equalJson('0.12345678901234567890', '0.12345678901234567891'));
    assert.ok(!equalJson('1e400', '2e400'));
    assert.ok(equalJson('1e400', '10e399'));
    assert.ok(equalJson('1000000000000000000000000', '1e24'));
    assert.ok(!equalJson('-5', '5'));
  });

  it('holds between a text and any other spelling of it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.ok(equalJson(JSON.stringify(value), JSON.stringify(value, undefined, 2)));
      }),
    );
  });
});
