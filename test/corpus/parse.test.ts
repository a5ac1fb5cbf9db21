// Every line of the corpus parses and binds, or is refused with a position, as it is marked.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bindQuery } from '../../src/oql/bind/bind-query.ts';
import { OqlError, type OqlErrorCode } from '../../src/oql/errors.ts';
import { parseQuery } from '../../src/oql/syntax/parse-query.ts';
import { printProgram } from '../../src/oql/testing/print-program.ts';
import { openCatalog } from '../../src/oql/testing/sample-catalog.ts';
import { withoutSpans } from '../../src/oql/testing/without-spans.ts';
import { readCorpus } from './corpus-line.ts';

const ANY_NAME = 'any characters may stand in a quoted name';
const EXTENSION = 'the construct is one of our extensions';
const SLASH = 'a slash after an operand divides';
const LETTERS = 'U+2000 to U+206F are no letters, so curly quotes make no name';

/** Lines marked as refused that we accept, or vice versa, each with the rule that explains it. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['oql-0802', EXTENSION], // EXISTS
  ['oql-0810', EXTENSION], // EXCEPT
  ['oql-0813', EXTENSION], // ALL
  ['oql-0814', EXTENSION], // SOME
  ['oql-0841', ANY_NAME], // t."@type"
  ['oql-0842', ANY_NAME], // t."dash-name"
  ['oql-0848', EXTENSION], // IS NULL
  ['oql-0850', EXTENSION], // NOT IN
  ['oql-0851', EXTENSION], // NOT LIKE
  ['oql-0854', EXTENSION], // OFFSET
  ['oql-1069', LETTERS],
  ['oql-1155', SLASH], // p.height/p.weight
]);

/** The original detects these errors only at run time, so lines with them count as valid. */
const NAME_FAILURES: ReadonlySet<OqlErrorCode> = new Set<OqlErrorCode>([
  'oql/name-unresolved',
  'oql/name-ambiguous',
  'oql/field-not-found',
  'oql/method-not-found',
]);

const lines = readCorpus();

function compile(text: string): OqlError | undefined {
  try {
    bindQuery(parseQuery(text), openCatalog);
    return undefined;
  } catch (error) {
    if (error instanceof OqlError) return error;
    throw error;
  }
}

/** Whether the text is a query; a whole text in double quotes is an unknown name. */
function isAccepted(text: string): boolean {
  const error = compile(text);
  return error === undefined || (NAME_FAILURES.has(error.code) && !text.startsWith('"'));
}

describe('the corpus', () => {
  it('has lines of both kinds, and every exception is one of them', () => {
    assert.ok(lines.filter(({ isValid }) => isValid).length > 1800);
    assert.ok(lines.filter(({ isValid }) => !isValid).length > 60);
    const ids = new Set(lines.map(({ id }) => id));
    for (const id of EXCEPTIONS.keys()) assert.ok(ids.has(id), `${id} is no such line`);
  });

  it('is accepted and refused as marked, except for the exceptions', () => {
    const different = lines.filter(({ oql, isValid }) => isAccepted(oql) !== isValid);
    assert.deepEqual(
      different.map(({ id }) => id),
      [...EXCEPTIONS.keys()],
    );
  });

  it('is refused with a position inside the text', () => {
    for (const { id, oql } of lines) {
      const error = compile(oql);
      if (error !== undefined) assert.ok(error.position.offset <= oql.length, id);
    }
  });

  it('prints to a text that parses to the same tree', () => {
    const valid = lines.filter(({ id, isValid }) => isValid && !EXCEPTIONS.has(id));
    for (const { id, oql } of valid) {
      const program = parseQuery(oql);
      const again = parseQuery(printProgram(program));
      assert.deepEqual(withoutSpans(again.query), withoutSpans(program.query), id);
    }
  });
});
