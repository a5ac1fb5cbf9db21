// Expressions have the same identity exactly if their printed texts are equal.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseQuery } from '../syntax/parse-query.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { bindQuery } from './bind-query.ts';
import { forEachChild } from './bound-children.ts';
import type { BoundExpression } from './bound-query.ts';
import { createIdentities } from './identities.ts';
import { printBound } from './print-bound.ts';

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
      const identities = createIdentities();
      const numbers = new Map<string, number>();
      for (const part of partsOf(bindQuery(parseQuery(text), sampleCatalog).body)) {
        const number = identities.of(part);
        assert.equal(number, numbers.get(printBound(part)) ?? number, printBound(part));
        numbers.set(printBound(part), number);
      }
      assert.equal(new Set(numbers.values()).size, numbers.size, 'two meanings share a number');
    });
  }
});

function partsOf(expression: BoundExpression): readonly BoundExpression[] {
  const parts: BoundExpression[] = [];
  const visit = (node: BoundExpression): void => {
    parts.push(node);
    forEachChild(node, visit);
  };
  visit(expression);
  return parts;
}
