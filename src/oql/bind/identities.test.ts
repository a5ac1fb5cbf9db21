// Expressions have the same identity exactly if their printed texts are equal.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseQuery } from '../syntax/parse-query.ts';
import { DEFAULT_PARSE_LIMITS } from '../syntax/parser.ts';
import { openCatalog, sampleCatalog } from '../testing/sample-catalog.ts';
import { bindQuery } from './bind-query.ts';
import { forEachChild } from './bound-children.ts';
import type { BoundExpression } from './bound-query.ts';
import { Identities } from './identities.ts';
import { printAggregate, printBound } from './print-bound.ts';

const TEXTS: readonly string[] = [
  'SELECT o.a, o.a.b, o."a.b", o.b.a, o, o.a + 1, 1 + o.a, o.a - 1, o.a + 1L, o.a + 1.0 FROM /orders o',
  "SELECT 1, 1L, 1.0, 1.0f, -1, 0, -0, '1', CHAR '1', NULL, UNDEFINED, TRUE FROM /orders o",
  'SELECT x.a = y.a, y.a = x.a, x.a <> y.a, x.a < y.a, x.a <= y.a, x.a % y.a FROM /orders x, /orders y',
  'SELECT o.a IN SET(1, 2), o.a IN SET(1), NOT (o.a IN SET(1)), o.f.charAt(1), o.f.length(), o[1], $1, $2 FROM /orders o',
  'SELECT * FROM /orders o WHERE o.a IN (SELECT p.a FROM /orders p WHERE p.a = o.a AND p.b + 1 = o.b + 1)',
  'SELECT o.a + o.b + 1, (o.a + o.b) + 1, o.a + (o.b + 1) FROM /orders o ORDER BY o.a + o.b + 1',
];

describe('the identity of an expression', () => {
  for (const text of TEXTS) {
    it(`is shared by expressions that print alike in ${text}`, () => {
      const identities = new Identities();
      const parts = partsOf(bindQuery(parseQuery(text), sampleCatalog).body);
      compareNumbers(parts, identities.of, printBound);
    });
  }

  it('is shared by those that print alike where there are very many', () => {
    const values = Array.from({ length: 20_000 }, (_, i) => `${i} < ${i}, ${i % 50} > ${i}`);
    const limits = { ...DEFAULT_PARSE_LIMITS, maxTextLength: 1e6 };
    const program = parseQuery(`SELECT SET(${values.join()}) FROM /orders`, limits);
    const parts = partsOf(bindQuery(program, sampleCatalog).body);
    compareNumbers(parts, new Identities().of, printBound);
  });
});

describe('the identity of an aggregate', () => {
  it('is shared by those that print alike', () => {
    const text =
      'SELECT SUM(a), SUM(DISTINCT a), SUM(a + 1), SUM(b), COUNT(*), COUNT(a), COUNT(DISTINCT a), AVG(a), MIN(a), MAX(a), FIRST(a) FROM /orders';
    const query = bindQuery(parseQuery(text), openCatalog).body;
    const aggregates = query.kind === 'select' ? (query.grouping?.aggregates ?? []) : [];
    assert.equal(aggregates.length, 11);
    const identities = new Identities();
    const twice = [...aggregates, ...structuredClone(aggregates)];
    compareNumbers(
      twice,
      (each) => identities.ofAggregate(each),
      (each) => printAggregate(each, printBound),
    );
  });
});

/** The texts are the slow and obvious version of the numbers. */
function compareNumbers<Item>(
  items: readonly Item[],
  numberOf: (item: Item) => number,
  print: (item: Item) => string,
): void {
  const numbers = new Map<string, number>();
  for (const item of items) {
    const text = print(item);
    const number = numberOf(item);
    assert.equal(number, numbers.get(text) ?? number, text);
    numbers.set(text, number);
  }
  assert.equal(new Set(numbers.values()).size, numbers.size, 'two meanings share an identity');
}

function partsOf(expression: BoundExpression): readonly BoundExpression[] {
  const parts: BoundExpression[] = [];
  const visit = (node: BoundExpression): void => {
    parts.push(node);
    forEachChild(node, visit);
  };
  visit(expression);
  return parts;
}
