// Checks that the generator of queries produces every construct of the language in a minimum share of
// the texts. So tests over generated queries cannot lose a construct unnoticed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AGGREGATES } from '../../syntax/aggregate-functions.ts';
import { Choices } from './choices.ts';
import { generateProgram } from './generate-grammar.ts';
import { generatePlainQuery, generateQuery, printPlain } from './generate-query.ts';
import { takeCensus } from './query-census.ts';

const QUERIES = 1_500;

/** Minimum share of the queries in percent, about half of the actual share. */
type Shares = Readonly<Record<string, number>>;

/** In all queries that can be run. */
const EXPRESSIONS: Shares = {
  ...{ comparison: 25, and: 15, or: 5, not: 5, in: 6, like: 3, 'not like': 0.5, ilike: 0.3 },
  ...{ between: 2, 'is-null': 2, 'is-defined': 1.5, 'is-type': 0.3, 'comparison any': 0.3 },
  ...{ 'comparison all': 0.3, 'set of values': 3, 'list of values': 2, 'literal char': 0.7 },
  ...{ '+': 0.7, '-': 0.4, '*': 0.4, '/': 0.3, '%': 0.3, '||': 0.5, minus: 0.5, index: 0.5 },
  ...{ nvl: 0.5, case: 1, method: 1, call: 4, member: 50, subquery: 7, element: 0.3 },
  ...{ 'several iterators': 15, 'inner join': 0.5, 'left join': 1, 'order by': 15 },
};

const CLAUSES: Shares = {
  ...{ 'group by': 9, having: 1, distinct: 8, limit: 15, offset: 3, 'nulls first or last': 4 },
  ...{ union: 0.1, 'union all': 0.1, except: 0.1, intersect: 0.1, with: 0.5 },
  ...{ 'aggregate distinct': 2 },
  ...Object.fromEntries(Object.keys(AGGREGATES).map((name) => [`aggregate ${name}`, 1])),
};

/** Constructs that only parsed texts have: types, parameters, hints. */
const GRAMMAR: Shares = {
  ...{ cast: 10, 'type of an iterator': 10, hint: 10, import: 99, trace: 30, index: 5 },
  ...{ 'numbered-parameter': 15, 'named-parameter': 15, 'literal date': 2, 'literal time': 2 },
  ...{ 'literal timestamp': 2, 'literal boolean': 7, 'literal float': 6, 'literal long': 6 },
  ...{ 'inner join': 7, 'left join': 7, between: 7, element: 3, with: 3, union: 0.5, except: 0.5 },
};

function assertCensus(make: (choices: Choices) => string, shares: Shares): void {
  const texts = Array.from({ length: QUERIES }, (_, seed) => make(new Choices(seed)));
  const census = takeCensus(texts);
  const rare = Object.entries(shares).flatMap(([construct, least]) => {
    const percent = 100 * (census.get(construct) ?? 0);
    return percent < least ? [`${construct}: ${percent.toFixed(2)} % instead of ${least} %`] : [];
  });
  assert.deepEqual(rare, []);
}

describe('generated queries', () => {
  it('have every executable construct', () =>
    assertCensus(generateQuery, { ...EXPRESSIONS, ...CLAUSES }));

  it('have them in plain queries too, except clauses', () =>
    assertCensus((choices) => {
      const query = generatePlainQuery(choices);
      return printPlain(query, query.condition);
    }, EXPRESSIONS));

  it('have every construct of the grammar if they are only parsed', () =>
    assertCensus(generateProgram, { ...halved(EXPRESSIONS), ...halved(CLAUSES), ...GRAMMAR }));

  it('are one small query when no choice is left, as shrinking requires', () => {
    const texts = Array.from({ length: 50 }, (_, seed) => generateQuery(new Choices(seed, 0)));
    assert.equal(new Set(texts).size, 1);
    const [text = ''] = texts;
    assert.ok(text.length > 0 && text.length < 200, text);
  });
});

/** Texts that are only parsed have more constructs, so that each is rarer. */
function halved(shares: Shares): Shares {
  return Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, share / 2]));
}
