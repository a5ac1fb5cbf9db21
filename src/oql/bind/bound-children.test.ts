// The read-only traversal visits the same children as the rewriting table, in the same order.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseQuery } from '../syntax/parse-query.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { bindQuery } from './bind-query.ts';
import { forEachChild, mapChildren } from './bound-children.ts';
import type { BoundExpression } from './bound-query.ts';

const TEXTS: readonly string[] = [
  'SELECT o.a + 1, -o.b, o.f.substring(1, o.c), o.l[0], NVL(o.a, 2), o.a LIKE $1 FROM /orders o WHERE NOT (o.a = 1)',
  'SELECT * FROM /orders o, o.l i WHERE (o.a IN SET(1, o.b) AND i.n > 2) OR IS_DEFINED(o.c) ORDER BY o.d, i.n',
  'SELECT o.a, COUNT(*), SUM(o.b + 1) FROM /orders o WHERE o.c <> 2 GROUP BY o.a HAVING SUM(o.b + 1) > 3',
  'SELECT CASE WHEN o.a = 1 THEN o.b WHEN o.c = 2 THEN 3 ELSE o.d END FROM /orders o WHERE o.a IS NULL',
  'SELECT * FROM /orders o WHERE o.a = ELEMENT(SELECT p.a FROM /orders p WHERE p.b = o.b)',
];

for (const text of TEXTS) {
  it(`visits the same children in ${text}`, () => {
    let count = 0;
    const visit = (node: BoundExpression): void => {
      const walked: BoundExpression[] = [];
      forEachChild(node, (child) => walked.push(child));
      const named: BoundExpression[] = [];
      mapChildren(node, (child) => {
        named.push(child);
        return child;
      });
      assert.equal(walked.length, named.length, node.kind);
      assert.ok(
        walked.every((child, index) => child === named[index]),
        node.kind,
      );
      count += 1;
      walked.forEach(visit);
    };
    visit(bindQuery(parseQuery(text), sampleCatalog).body);
    assert.ok(count > 5, 'there are parts to compare');
  });
}
