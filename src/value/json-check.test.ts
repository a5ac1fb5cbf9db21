import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkJson } from './json-check.ts';
import { JsonTextError } from './json-text.ts';
import { shareOfRuns } from './testing/share-of-runs.ts';

const LIMITS = { maxDepth: 200 };

function check(text: string, limits = LIMITS): string {
  return new TextDecoder().decode(checkJson(new TextEncoder().encode(text), limits));
}

function offsetOf(text: string, limits = LIMITS): number {
  try {
    check(text, limits);
  } catch (error) {
    if (error instanceof JsonTextError) return error.offset;
    throw error;
  }
  throw new assert.AssertionError({ message: `accepted: ${text}` });
}

describe('checkJson', () => {
  it('returns the same array when there is nothing to strip', () => {
    const bytes = new TextEncoder().encode('{"a":[1,2,{"b":" x "}],"n":20.0}');
    assert.equal(checkJson(bytes, LIMITS), bytes);
  });

  it('strips white space outside strings, and changes nothing else', () => {
    assert.equal(
      check(' \t\r\n{ "a" : [ 1 , 2.50 ] , "s" : " \\n " }\n'),
      '{"a":[1,2.50],"s":" \\n "}',
    );
    assert.equal(check('[ ]'), '[]');
    assert.equal(check('{ }'), '{}');
    assert.equal(check(' 1 '), '1');
  });

  it('accepts whatever JSON.stringify prints, unchanged', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'grapheme' }), (text) => {
        assert.equal(check(text), text);
      }),
    );
  });

  it('makes any indentation compact', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'grapheme' }),
        fc.constantFrom(1, 2, '\t'),
        (value, indent) => {
          assert.equal(check(JSON.stringify(value, null, indent)), JSON.stringify(value));
        },
      ),
    );
  });

  it('accepts no text that JSON.parse refuses', () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom(...'{}[]",:\\0-.eE+ tfn'),
        (text, offset, letter) => {
          const at = offset % (text.length + 1);
          const damaged = text.slice(0, at) + letter + text.slice(at);
          try {
            check(damaged);
          } catch {
            return;
          }
          JSON.parse(damaged);
          accepted += 1;
        },
      ),
      { numRuns: shareOfRuns(10_000) },
    );
    assert.ok(accepted > 100, `${accepted} texts were compared`);
  });

  it('refuses a member name that its object has already, however it is spelt', () => {
    assert.equal(offsetOf('{"a":1,"b":2,"a":3}'), 13);
    assert.equal(offsetOf('{"a":1,"\\u0061":3}'), 7);
    assert.equal(offsetOf('{"\\u0061":1,"a":3}'), 12);
    assert.equal(offsetOf('{"":1,"":2}'), 6);
    assert.equal(offsetOf('[{"a":{"b":1,"b":2}}]'), 13);
    assert.throws(() => check('{"x":{},"x":1}'), { message: 'Duplicate member name "x"' });
  });

  it('lets different objects have the same names', () => {
    const text = '{"a":{"a":{"a":1},"b":{"a":2}},"b":[{"a":1},{"a":2}]}';
    assert.equal(check(text), text);
  });

  it('finds duplicates among any number of members', () => {
    for (const count of [2, 23, 24, 25, 26, 100, 5000]) {
      const members = Array.from({ length: count }, (_, i) => `"m${i}":${i}`);
      assert.equal(check(`{${members.join(',')}}`).length, members.join(',').length + 2);
      for (const again of [0, count >> 1, count - 1]) {
        const text = `{${members.join(',')},"m${again}":0}`;
        assert.equal(offsetOf(text), members.join(',').length + 2);
      }
    }
  });

  it('distinguishes names with equal hashes', () => {
    // 31 * 'A' + 'b' = 31 * 'B' + 'C'
    assert.equal(check('{"Ab":1,"BC":2}'), '{"Ab":1,"BC":2}');
  });

  it('counts the depth of arrays and objects together', () => {
    assert.equal(check('{"a":[{}]}', { maxDepth: 3 }), '{"a":[{}]}');
    assert.equal(offsetOf('{"a":[{}]}', { maxDepth: 2 }), 6);
    assert.equal(check('1', { maxDepth: 0 }), '1');
  });

  it('refuses surrogates that are not a pair', () => {
    assert.equal(check('"\\ud83d\\ude00"'), '"\\ud83d\\ude00"');
    assert.equal(check('"\\uD83D\\uDE00"'), '"\\uD83D\\uDE00"');
    for (const text of [
      '"\\ud83d"',
      '"\\ude00"',
      '"\\ud83d\\ud83d"',
      '"\\ud83dx"',
      '"\\ud83d\\n"',
      '"\\ude00\\ud83d"',
    ]) {
      assert.equal(offsetOf(text), 1, text);
    }
  });

  it('reports the offset and the reason', () => {
    const cases: readonly (readonly [string, number, string])[] = [
      ['', 0, 'Unexpected end of the text'],
      ['{"a":}', 5, 'Expected a value'],
      ['{"a":-}', 6, 'Bad number'],
      ['[1.e1]', 3, 'Bad number'],
      ['[1e]', 3, 'Bad number'],
      ['[1e+]', 4, 'Bad number'],
      ['["\\u12"]', 2, 'Bad \\u escape'],
      ['["\\', 2, 'Bad escape'],
      ['[tru]', 1, 'Expected a value'],
      ['[1 2]', 3, "Expected ',' or ']'"],
      ['{"a":1 "b"}', 7, "Expected ',' or '}'"],
      ['[1,]', 3, 'Expected a value'],
      ['"\x1f"', 1, 'Control character in a string'],
      ['[\u00a01]', 1, 'Expected a value'],
    ];
    for (const [text, offset, message] of cases) {
      assert.throws(() => check(text), { name: 'JsonTextError', message, offset }, text);
    }
  });
});
