// Printing and parsing are inverse to each other.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { printProgram } from './print-program.ts';
import { arbitraryFrom } from './queries/choices.ts';
import { generateProgram } from './queries/generate-grammar.ts';
import { withoutSpans } from './without-spans.ts';

describe('printProgram', () => {
  it('prints a text that parses to the same tree', () => {
    fc.assert(
      fc.property(arbitraryFrom(generateProgram), (text) => {
        const program = parseQuery(text);
        const parsed = parseQuery(printProgram(program));
        assert.deepEqual(withoutSpans(parsed.query), withoutSpans(program.query));
        assert.equal(parsed.trace, program.trace);
        assert.deepEqual(withoutSpans(parsed.imports), withoutSpans(program.imports));
      }),
      { numRuns: shareOfRuns(5_000) },
    );
  });

  const canonical: Readonly<Record<string, string>> = {
    'select  *from /r where(a=1)and not(b) -- so': 'SELECT * FROM /r WHERE a = 1 AND NOT b',
    'x in /r': 'x IN /r',
    'select a: 1, p."type" from p in /r order by a asc':
      'SELECT 1 AS a, p."type" FROM /r AS p ORDER BY a',
    '(a + b) * -(5) - (-5).x': '(a + b) * -(5) - (-5).x',
    '<trace> import a.B as C; (C) x != nil': '<TRACE> IMPORT a.B AS C; (C) x <> NULL',
    'a and (b and c) or d': 'a AND (b AND c) OR d',
    'case (x) when 1 then 2 end': 'CASE x WHEN 1 THEN 2 END',
  };
  for (const [text, expected] of Object.entries(canonical)) {
    it(`prints ${text} as ${expected}`, () =>
      assert.equal(printProgram(parseQuery(text)), expected));
  }
});
