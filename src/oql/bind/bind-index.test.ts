import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCatalog } from '../reference/testing/memory-source.ts';
import { bindIndex, type IndexTexts } from './bind-index.ts';

const catalog = createCatalog({ orders: { entries: [] }, items: { entries: [] } });

function bind(expression: string, texts: Partial<IndexTexts> = {}): ReturnType<typeof bindIndex> {
  return bindIndex({ expression, from: '/orders o', ...texts }, 'orders', catalog);
}

describe('an index definition', () => {
  for (const expression of ['COUNT(*)', 'COUNT(o.id)', 'MAX(o.total) + 1']) {
    it(`must not aggregate: ${expression}`, () => {
      assert.throws(() => bind(expression), /An index must not aggregate/);
    });
  }

  const REFUSED: readonly (readonly [reason: string, expression: string, Partial<IndexTexts>])[] = [
    ['not on a condition', 'o.total > 5', {}],
    ['must not depend on the time', 'o.total + YEAR(NOW())', {}],
    ['must not have parameters', 'o.total + $1', {}],
    ['must follow from an earlier one', 'i.sku', { from: '/orders o, /items i' }],
    ['is on the values of a region', 'i.sku', { from: '/orders o, o.items i', kind: 'key' }],
    ['is on one member', 'LOWER(o.id)', { kind: 'key' }],
    ['on several values is a range index', 'o.id, o.total', { kind: 'hash' }],
    ['on members of a map is a range index', "o.tags['a']", { kind: 'hash' }],
    ['a FROM clause and nothing else', 'o.id', { from: '/orders o WHERE o.id = 1' }],
    ['must begin with /orders', 'i.id', { from: '/items i' }],
  ];
  for (const [reason, expression, texts] of REFUSED) {
    it(`is refused with its reason: ${reason}`, () => {
      assert.throws(
        () => bind(expression, texts),
        (error) => String(error).includes(reason),
      );
    });
  }

  it('may be on one member, several values, or members of a map', () => {
    assert.equal(bind('o.id', { kind: 'key' }).mapKeys, undefined);
    assert.equal(bind('o.status, o.total').select.projections.length, 2);
    assert.deepEqual(bind("o.tags['a','b']").mapKeys, ['a', 'b']);
    assert.equal(bind('o.tags[*]').mapKeys, '*');
  });

  for (const expression of ['TO_DATE(o.at)', "TO_DATE(o.at, 'yyyy-MM-dd')"]) {
    it(`may read dates: ${expression}`, () => {
      assert.ok(bind(expression));
    });
  }

  for (const expression of ["TO_DATE(o.at, 'dd.MM.yy')", "TO_DATE(o.at, 'd/M/y')", 'NOW()']) {
    it(`must not depend on the time: ${expression}`, () => {
      assert.throws(() => bind(expression), /depend on the time of a query/);
    });
  }
});
