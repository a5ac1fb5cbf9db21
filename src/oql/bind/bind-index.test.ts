import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCatalog } from '../reference/testing/memory-source.ts';
import { bindIndex } from './bind-index.ts';

const catalog = createCatalog({ orders: { entries: [] } });

describe('an index definition', () => {
  for (const expression of ['COUNT(*)', 'COUNT(o.id)', 'MAX(o.total) + 1']) {
    it(`must not aggregate: ${expression}`, () => {
      const texts = { expression, from: '/orders o' };
      assert.throws(() => bindIndex(texts, 'orders', catalog), /An index must not aggregate/);
    });
  }
});
