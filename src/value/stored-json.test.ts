import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseJson } from './json-parse.ts';
import { printJson } from './json-print.ts';
import { printStored } from './stored-json.ts';
import { shareOfRuns } from './testing/share-of-runs.ts';

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
