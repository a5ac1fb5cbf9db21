import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { compileByteLike } from '../execute/vector/predicates/byte-like.ts';
import { compileLike, isTooLongToSearch } from './like.ts';

/** The definition, by exhaustive search: right on short texts, too slow on long ones. */
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
  it('matches according to its definition', () => {
    const characters = fc.array(fc.constantFrom('a', 'b', '😀'), { maxLength: 7 });
    const patterns = fc.array(fc.constantFrom('a', 'b', '😀', '%', '_'), { maxLength: 6 });
    fc.assert(
      fc.property(patterns, characters, (pattern, text) => {
        assert.equal(
          compileLike(pattern.join(''))(text.join('')),
          matchesByDefinition(pattern, text),
        );
      }),
      { numRuns: shareOfRuns(10_000) },
    );
  });

  it('takes an escaped character literally and drops other backslashes', () => {
    assert.ok(compileLike('100\\%')('100%'));
    assert.ok(!compileLike('100\\%')('1000'));
    assert.ok(compileLike('\\a\\\\')('a\\'));
    assert.ok(compileLike('a\\')('a\\'));
  });

  it('finds long literal parts like short ones', () => {
    const letters = fc.constantFrom('a', 'a', 'a', 'b', '😀');
    const long = fc.array(letters, { minLength: 17, maxLength: 40 });
    const texts = fc.tuple(fc.array(letters, { maxLength: 40 }), long, fc.array(letters));
    const holes = fc.array(fc.nat(16), { maxLength: 3 });
    fc.assert(
      fc.property(texts, holes, fc.boolean(), ([before, piece, after], locations, isCut) => {
        const pattern = piece.map((letter, at) => (locations.includes(at) ? '_' : letter)).join('');
        const text = [...before, ...piece.slice(isCut ? 1 : 0), ...after].join('');
        const expected = new RegExp(`^.*${pattern.replaceAll('_', '.')}.*$`, 'su').test(text);
        assert.equal(compileLike(`%${pattern}%`)(text), expected);
        const bytes = new TextEncoder().encode(text);
        assert.equal(compileByteLike(`%${pattern}%`)(bytes, 0, bytes.length), expected);
      }),
      { numRuns: shareOfRuns(2_500) },
    );
  });

  it('finds a long literal part in time proportional to the text', () => {
    const piece = `${'a'.repeat(30_000)}b`;
    const text = 'a'.repeat(250_000);
    assert.ok(!compileLike(`%${piece}%`)(text));
    assert.ok(compileLike(`%${piece}%`)(`${text}b`));
    const holes = `${'a_'.repeat(500)}b`;
    assert.ok(!compileLike(`%${holes}%`)(text));
    assert.ok(compileLike(`%${holes}%c`)(`${text}bc`));
  });

  it('recognizes literal parts whose search would take too long', () => {
    assert.ok(isTooLongToSearch(`%${'a_'.repeat(600)}%`));
    assert.ok(!isTooLongToSearch(`%${'ab'.repeat(600)}%`));
    assert.ok(!isTooLongToSearch(`${'a_'.repeat(600)}%${'a_'.repeat(600)}`));
  });

  it('stays quick on patterns that ruin regular expressions', () => {
    const matches = compileLike(`${'%a'.repeat(50)}%b`);
    assert.ok(!matches('a'.repeat(10_000)));
  });
});
