import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { kindOfJson, splitArray, splitObject } from './json-text.ts';

const values = fc.jsonValue({ stringUnit: 'grapheme' });

describe('kindOfJson', () => {
  it('determines the kind from the first character', () => {
    const texts = ['{}', '[]', '"a"', '-1', '0.5', 'true', 'false', 'null'];
    const kinds = ['object', 'array', 'string', 'number', 'number', 'boolean', 'boolean', 'null'];
    assert.deepEqual(texts.map(kindOfJson), kinds);
  });
});

describe('splitArray', () => {
  it('returns the text of each element', () => {
    const text = '[1,"a,]\\"b",[2,[3]],{"x":[1,2]},null,20.0]';
    const elements = ['1', '"a,]\\"b"', '[2,[3]]', '{"x":[1,2]}', 'null', '20.0'];
    assert.deepEqual(splitArray(text), elements);
    assert.deepEqual(splitArray('[]'), []);
    assert.deepEqual(splitArray('[[]]'), ['[]']);
  });

  it('is the inverse of joining', () => {
    fc.assert(
      fc.property(fc.array(values), (items) => {
        const text = JSON.stringify(items);
        assert.equal(`[${splitArray(text).join(',')}]`, text);
        assert.equal(splitArray(text).length, items.length);
      }),
    );
  });
});

describe('splitObject', () => {
  it('returns each member by its decoded name, in order', () => {
    const members = splitObject('{"a":1,"\\u0062":{"c":"}"},"__proto__":[],"":"\\\\"}');
    assert.deepEqual(
      [...members],
      [
        ['a', '1'],
        ['b', '{"c":"}"}'],
        ['__proto__', '[]'],
        ['', '"\\\\"'],
      ],
    );
    assert.equal(splitObject('{}').size, 0);
  });

  it('is the inverse of printing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), values), (object) => {
        const text = JSON.stringify(object);
        const members = [...splitObject(text)].map(
          ([name, value]) => `${JSON.stringify(name)}:${value}`,
        );
        assert.equal(`{${members.join(',')}}`, text);
      }),
    );
  });
});
