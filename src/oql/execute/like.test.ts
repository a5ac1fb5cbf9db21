import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileLike } from './like.ts';

/** The definition, by trying every way: right on short texts, useless on long ones. */
function matchesByDefinition(pattern: readonly string[], text: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === '%') {
    return (
      text.some((_, index) => matchesByDefinition(rest, text.slice(index))) ||
      matchesByDefinition(rest, [])
    );
  }
  const [next, ...others] = text;
  return (
    next !== undefined && (first === '_' || first === next) && matchesByDefinition(rest, others)
  );
}

describe('LIKE', () => {
  it('matches what its definition says', () => {
    const characters = fc.array(fc.constantFrom('a', 'b', '😀'), { maxLength: 7 });
    const patterns = fc.array(fc.constantFrom('a', 'b', '😀', '%', '_'), { maxLength: 6 });
    fc.assert(
      fc.property(patterns, characters, (pattern, text) => {
        assert.equal(
          compileLike(pattern.join(''))(text.join('')),
          matchesByDefinition(pattern, text),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('takes an escaped character literally and drops other backslashes', () => {
    assert.ok(compileLike('100\\%')('100%'));
    assert.ok(!compileLike('100\\%')('1000'));
    assert.ok(compileLike('\\a\\\\')('a\\'));
    assert.ok(compileLike('a\\')('a\\'));
  });

  it('stays quick on patterns that ruin regular expressions', () => {
    const matches = compileLike(`${'%a'.repeat(50)}%b`);
    assert.ok(!matches('a'.repeat(10_000)));
  });
});
