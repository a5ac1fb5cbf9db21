import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../../value/testing/share-of-runs.ts';
import { MethodFailure } from '../overload.ts';
import { parseRegex } from './parse-regex.ts';
import { compileRegex, createStepBudget, type Regex, type RegexMatch } from './regex.ts';
import { matchesWhole, replacePattern, splitText } from './replace-text.ts';

function compile(pattern: string): Regex {
  const regex = compileRegex(pattern);
  assert.ok(!(regex instanceof MethodFailure), pattern);
  return regex;
}

function find(pattern: string, text: string): RegexMatch | undefined {
  const match = compile(pattern).find(text, 0, createStepBudget());
  assert.ok(!(match instanceof MethodFailure));
  return match;
}

const atoms = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a)', '(a|b)', '(?:ab|a)', '\\w');
const quantifiers = fc.constantFrom(
  '',
  '',
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{2}',
  '{0,2}',
  '{1,}',
);
const patterns = fc
  .array(fc.tuple(atoms, quantifiers), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.flat().join(''));

describe('regular expressions', () => {
  it('match like those of JavaScript where the two agree', () => {
    fc.assert(
      fc.property(
        patterns,
        fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 }),
        (pattern, text) => {
          const expected = new RegExp(pattern).exec(text);
          const match = find(pattern, text);
          assert.equal(match?.[0], expected?.index);
          if (expected !== null) assert.equal(text.slice(match?.[0], match?.[1]), expected[0]);
          assert.equal(compile(pattern).matches(text), new RegExp(`^(?:${pattern})$`).test(text));
        },
      ),
      { numRuns: shareOfRuns(10_000) },
    );
  });

  it('know classes, escapes, assertions and code points', () => {
    const whole = (pattern: string, text: string): boolean | MethodFailure =>
      compile(pattern).matches(text);
    assert.equal(whole('\\d+\\s\\S\\D\\W', '12 xy!'), true);
    assert.equal(whole('[\\d.-]+', '1.2-3'), true);
    assert.equal(whole('[\\D]', '1'), false);
    assert.equal(whole('[\\W]', '!'), true);
    assert.equal(whole('\\u0041\\x42\\t\\n\\r\\f\\.', 'AB\t\n\r\f.'), true);
    assert.equal(whole('.', '😀'), true);
    assert.equal(whole('.', '\n'), false);
    assert.equal(whole('[😀-😂]', '😁'), true);
    assert.deepEqual(find('^b|b$', 'abb'), [2, 3]);
    assert.deepEqual(find('\\bcat\\b', 'a cat'), [2, 5]);
    assert.equal(find('\\Bat\\b', 'at'), undefined);
    assert.deepEqual(find('\\Ab\\z', 'b'), [0, 1]);
    assert.deepEqual(find('(a)|(b)', 'b')?.slice(4), [0, 1]);
  });

  it('take bounded time', () => {
    const text = 'a'.repeat(5000);
    const tooMuchWork = new MethodFailure('the pattern takes too long on this text');
    assert.equal(compile('(a+)+$').matches(`${text}!`), false);
    assert.equal(compile('(a*)*b').matches(text), false);
    assert.deepEqual(compile(`${'a?'.repeat(900)}b`).matches(text), tooMuchWork);
    assert.deepEqual(matchesWhole(`${'a?'.repeat(900)}b`)(text), tooMuchWork);
    // Every search looks ahead to the end of the text; the total must be bounded.
    assert.deepEqual(replacePattern('a(.*b)?', '', 'all')('a'.repeat(20_000)), tooMuchWork);
    assert.deepEqual(splitText('a(.*b)?', 0)('a'.repeat(20_000)), tooMuchWork);
  });

  it('refuse unsupported syntax with a reason', () => {
    for (const pattern of [
      '(',
      ')',
      'a)',
      '[a',
      '*',
      'a**',
      'a++',
      'a{2',
      'a{}',
      'a{2,1}',
      'a{9999}',
      '\\',
      '\\1',
      '\\p{L}',
      '(?=a)',
      '(?<n>a)',
      '[[a]]',
      '[a&&b]',
      '[z-a]',
      '[a-\\d]',
      '\\u00',
      '\\xzz',
      '{',
      '('.repeat(200),
      '((a{900}){900}){900}',
    ]) {
      const problem = compileRegex(pattern);
      assert.ok(problem instanceof MethodFailure && problem.reason !== '', pattern);
    }
    assert.ok(!(parseRegex('a') instanceof MethodFailure));
  });
});

describe('replacing and splitting', () => {
  const replaced = (text: string, pattern: string, by: string): string | undefined => {
    const outcome = replacePattern(pattern, by, 'all')(text);
    return outcome instanceof MethodFailure ? undefined : outcome;
  };
  const split = (text: string, pattern: string, limit = 0): readonly string[] | undefined => {
    const outcome = splitText(pattern, limit)(text);
    return outcome instanceof MethodFailure ? undefined : outcome;
  };

  it('follow Java', () => {
    assert.equal(replaced('abc', '', '-'), '-a-b-c-');
    assert.equal(replaced('😀', '', '-'), '-😀-');
    assert.equal(replaced('a.b', '\\.', '\\$'), 'a$b');
    assert.equal(replaced('ab', '(a)|(b)', '[$1$2]'), '[a][b]');
    assert.equal(replaced('ab', 'a', '$'), undefined);
    assert.equal(replaced('ab', 'a', '\\'), undefined);
    assert.equal(replaced('ab', 'a', '$x'), undefined);
    assert.deepEqual(split('boo:and:foo', 'o'), ['b', '', ':and:f']);
    assert.deepEqual(split('boo:and:foo', 'o', 5), ['b', '', ':and:f', '', '']);
    assert.deepEqual(split('boo:and:foo', ':', 2), ['boo', 'and:foo']);
    assert.deepEqual(split('', ','), ['']);
    assert.deepEqual(split(',', ','), ['']);
    assert.deepEqual(split('x', '(', 0), undefined);
    assert.equal(replaced('x', '(', ''), undefined);
    assert.ok(matchesWhole('(')('x') instanceof MethodFailure);
  });

  it('bound the length of their results', () => {
    const outcome = replacePattern('a', 'b'.repeat(5000), 'all')('a'.repeat(5000));
    assert.deepEqual(outcome, new MethodFailure('the result is too long'));
  });
});
