// Tokens and syntax trees of the golden scripts, and the limits of the parser.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OqlError } from '../errors.ts';
import { dumpError, dumpProgram } from '../testing/dump-tree.ts';
import { testGoldenScripts } from '../testing/golden.ts';
import { parseQuery } from './parse-query.ts';
import { DEFAULT_PARSE_LIMITS, type ParseLimits } from './parser.ts';
import { TokenStream } from './token-stream.ts';

testGoldenScripts('syntax', {
  'tokens-': (text) => attempt(() => dumpTokens(text)),
  '': (text) => attempt(() => dumpProgram(parseQuery(text))),
});

function attempt(run: () => string): string {
  try {
    return run();
  } catch (error) {
    return dumpError(error);
  }
}

function dumpTokens(text: string): string {
  const tokens = new TokenStream(text);
  const lines: string[] = [];
  while (tokens.peek().kind !== 'end') {
    const token = tokens.take();
    const content = token.kind === 'region-path' ? token.segments.join(' | ') : token.text;
    lines.push(`${token.start}-${token.end} ${token.kind} ${content}`);
  }
  return lines.join('\n');
}

function codeOf(text: string, limits?: ParseLimits): string | undefined {
  try {
    parseQuery(text, limits);
    return undefined;
  } catch (error) {
    if (error instanceof OqlError) return error.code;
    throw error;
  }
}

/** Listed here again, so that no word is removed by accident. */
const RESERVED = `abs all and andthen any array as asc avg bag boolean by byte char collection count
  date declare define desc dictionary distinct double element enum except exists false first flatten
  float for from group having hint import in int intersect interval is_defined is_undefined last
  like limit list listtoset long map max min mod nil not null nvl octet or order orelse query select
  set short some string struct sum time timestamp to_date trace true type undefine undefined union
  unique where`.split(/\s+/);

describe('a reserved word', () => {
  it('is not a name without quotes, in any letter case', () => {
    for (const word of [...RESERVED, ...RESERVED.map((each) => each.toUpperCase())]) {
      assert.notEqual(codeOf(`SELECT * FROM /r ${word}`), undefined, word);
    }
  });

  it('is a name in double quotes, and after a dot', () => {
    for (const word of RESERVED) {
      assert.equal(codeOf(`SELECT "${word}".x AS "${word}" FROM /r "${word}"`), undefined, word);
      assert.equal(
        codeOf(`SELECT r.${word}, r->${word}.x, r."${word}"() FROM /r r`),
        undefined,
        word,
      );
    }
  });
});

describe('a word of an extension', () => {
  it('is a name like any other', () => {
    for (const word of 'between case else end is offset then when join inner left'.split(' ')) {
      const text = `SELECT ${word}, ${word}.x AS ${word} FROM /r ${word} WHERE ${word} = ${word}.y`;
      assert.equal(codeOf(text), undefined, word);
    }
  });
});

describe('the limits of a text', () => {
  it('allow 65,536 characters and no more', () => {
    const pad = (length: number) => '1'.padEnd(length);
    assert.equal(codeOf(pad(65_535)), undefined);
    assert.equal(codeOf(pad(65_536)), undefined);
    assert.equal(codeOf(pad(65_537)), 'oql/text-too-long');
  });

  it('allow 200 levels of nesting and no more', () => {
    const nest = (depth: number) => '('.repeat(depth) + 1 + ')'.repeat(depth);
    assert.equal(codeOf(nest(199)), undefined);
    assert.equal(codeOf(nest(200)), undefined);
    assert.equal(codeOf(nest(201)), 'oql/nesting-too-deep');
  });

  it('allow chains of operators up to a tree of 400 levels', () => {
    const chain = (operators: number) => `${'a + '.repeat(operators)}a`;
    assert.equal(codeOf(chain(398)), undefined);
    assert.equal(codeOf(chain(399)), undefined);
    assert.equal(codeOf(chain(400)), 'oql/nesting-too-deep');
  });

  it('allow AND and OR chains as long as the text', () => {
    assert.equal(codeOf(`${'a OR '.repeat(10_000)}a`), undefined);
    assert.equal(codeOf(`${'a AND '.repeat(10_000)}a`), undefined);
  });

  it('allow 255 placeholders and no more', () => {
    const numbered = (highest: number) => `SELECT * FROM /r LIMIT $${highest}`;
    assert.equal(codeOf(numbered(254)), undefined);
    assert.equal(codeOf(numbered(255)), undefined);
    assert.equal(codeOf(numbered(256)), 'oql/too-many-placeholders');
    const named = (count: number) => `SET(${Array.from({ length: count }, (_, i) => `:p${i}`)})`;
    assert.equal(codeOf(named(254)), undefined);
    assert.equal(codeOf(named(255)), undefined);
    assert.equal(codeOf(named(256)), 'oql/too-many-placeholders');
    assert.equal(codeOf(`SET(${named(155)}, $100)`), undefined);
    assert.equal(codeOf(`SET(${named(156)}, $100)`), 'oql/too-many-placeholders');
  });

  const list = (count: number, item: string, separator = ',') =>
    Array.from({ length: count }, () => item).join(separator);
  const parts: Readonly<Record<string, [limit: number, text: (count: number) => string]>> = {
    sources: [256, (count) => `SELECT * FROM ${list(count, '/r')}`],
    'joined sources': [256, (count) => `SELECT * FROM /r ${'CROSS JOIN /r '.repeat(count - 1)}`],
    subqueries: [256, (count) => list(count, 'a IN (SELECT * FROM /r)', ' OR ')],
    definitions: [
      256,
      (count) => `WITH ${Array.from({ length: count }, (_, i) => `q${i} AS (1)`)} SELECT * FROM q0`,
    ],
    projections: [2000, (count) => `SELECT ${list(count, 'a')} FROM /r`],
    'group columns': [2000, (count) => `SELECT a FROM /r GROUP BY ${list(count, 'a')}`],
    'sort keys': [2000, (count) => `SELECT a FROM /r ORDER BY ${list(count, 'a')}`],
    aggregates: [
      500,
      (count) => `SELECT a FROM /r GROUP BY a HAVING ${list(count, 'SUM(a)', ' OR ')}`,
    ],
    'arithmetic operators': [4000, (count) => `SET(${list(count, 'a+1')})`],
    'minuses before names': [4000, (count) => `SET(${list(count, '-a')})`],
    calls: [3000, (count) => `SET(${list(count, 'ABS(a)')})`],
    'calls of methods': [3000, (count) => `SET(${list(count, 'a.f()')})`],
  };
  for (const [name, [limit, text]] of Object.entries(parts)) {
    it(`allow ${limit} ${name} and no more`, () => {
      assert.equal(codeOf(text(limit)), undefined);
      assert.equal(codeOf(text(limit + 1)), 'oql/too-many-parts');
    });
  }

  it('are shown with the position of the first part that is too many', () => {
    assert.throws(() => parseQuery(`SELECT * FROM ${list(300, '/r')}`), {
      code: 'oql/too-many-parts',
      position: { offset: 14 + 256 * 3, line: 1, column: 15 + 256 * 3 },
    });
  });

  it('allow lists, conditions and branches that programs write', () => {
    const filter = 'SELECT * FROM /r o WHERE o.a';
    for (const value of ['1', '-1', '$1', ':p', "''", 'true']) {
      const lists = [`IN SET(${list(10_000, value)})`, `IN (${list(10_000, value)})`];
      for (const values of lists) assert.equal(codeOf(`${filter} ${values}`), undefined, value);
    }
    assert.equal(codeOf(`${filter} IN SET(${list(24_900, '1')})`), undefined);
    assert.equal(codeOf(`SELECT * FROM /r o WHERE ${list(4000, 'o.a=1', ' OR ')}`), undefined);
    const between = list(2000, 'o.a BETWEEN 1 AND 2', ' OR ');
    assert.equal(codeOf(`SELECT * FROM /r o WHERE ${between}`), undefined);
    assert.equal(codeOf(`SELECT CASE a ${'WHEN 1 THEN 1 '.repeat(4000)} END FROM /r`), undefined);
  });

  it('allow the same weight for any mixture', () => {
    // Six tokens, and 50 for the source; each condition has four, the last one three.
    const text = (count: number) => `SELECT * FROM /r o WHERE ${list(count, 'a=b', ' OR ')}`;
    const maxCount = Math.floor((25_000 - 6 - 50 + 1) / 4);
    assert.equal(codeOf(text(maxCount)), undefined);
    const offset = 'SELECT * FROM /r o WHERE '.length + maxCount * 'a=b OR '.length;
    assert.throws(() => parseQuery(text(maxCount + 1)), {
      code: 'oql/too-many-parts',
      position: { offset, line: 1, column: offset + 1 },
    });
  });

  it('weigh rare constructs more than comparisons', () => {
    // With the number of tokens in each, and in the OR after it.
    const rare: Readonly<Record<string, number>> = {
      "a LIKE ''": 4,
      'a BETWEEN 1 AND 1': 6,
      'a IS NULL': 4,
      'a IN SET(1)': 6,
      'a IN (1)': 5,
      'NOT a': 3,
      'a=ANY (1,b)': 9,
      '((int)a)=1': 9,
      'a[1]=1': 7,
      'ABS(a)=1': 7,
      'CASE WHEN a THEN b END': 7,
    };
    for (const [condition, words] of Object.entries(rare)) {
      const text = (count: number) => `SELECT * FROM /r o WHERE ${list(count, condition, ' OR ')}`;
      assert.equal(codeOf(text(Math.floor(10_000 / words))), undefined, condition);
      const code = codeOf(text(Math.floor(24_000 / words)));
      const isLong = text(Math.floor(24_000 / words)).length > 65_536;
      assert.equal(code, isLong ? 'oql/text-too-long' : 'oql/too-many-parts', condition);
    }
  });

  it('grow with the length that a text may have', () => {
    const text = (count: number) => `SET(${list(count, '1')})`;
    assert.equal(codeOf(text(25_000)), 'oql/too-many-parts');
    const long = { ...DEFAULT_PARSE_LIMITS, maxTextLength: 2 * 65_536 };
    assert.equal(codeOf(text(49_900), long), undefined);
    assert.equal(codeOf(text(50_000), long), 'oql/too-many-parts');
    const short = { ...DEFAULT_PARSE_LIMITS, maxTextLength: 50_000 };
    assert.equal(codeOf(text(24_900), short), undefined);
  });

  const floods: Readonly<Record<string, string>> = {
    parentheses: '('.repeat(10_000),
    'a long text': 'SELECT * FROM /orders WHERE '.padEnd(1_000_000, 'x = 1 OR '),
    calls: 'f('.repeat(30_000),
    indexes: 'a['.repeat(30_000),
    members: 'a.'.repeat(30_000),
    casts: '(set<'.repeat(12_000),
    types: `(set<${'set<'.repeat(15_000)}`,
    cases: 'case when '.repeat(6_000),
    'cases that are calls': 'case('.repeat(12_000),
    subqueries: '(SELECT * FROM '.repeat(4_000),
    'NOT after NOT': 'NOT '.repeat(15_000),
    minuses: '- '.repeat(30_000),
    sums: 'a + '.repeat(15_000),
    comparisons: 'a = '.repeat(15_000),
    patterns: 'a LIKE '.repeat(9_000),
    'quotes that never close': "'".repeat(60_001),
    slashes: '/'.repeat(60_000),
  };
  for (const [name, text] of Object.entries(floods)) {
    it(`refuse a flood of ${name} with an OqlError`, () => assert.ok(codeOf(text)));
  }
});
