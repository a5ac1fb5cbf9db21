import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { List } from '../../../../value/value.ts';
import { forEachChild } from '../../../bind/bound-children.ts';
import type { BoundExpression } from '../../../bind/bound-query.ts';
import { bindText } from '../../../reference/testing/run-query.ts';
import { foldSubqueries } from './fold-subqueries.ts';

/** The kinds of the queries that ran, and those that are left. */
async function fold(text: string, resultOf: (kind: string) => List | undefined) {
  const ran: string[] = [];
  const query = bindText(text, { n: { entries: [] } });
  const folded = await foldSubqueries(
    query,
    async (each) => {
      ran.push(nameOf(each));
      return resultOf(each.kind);
    },
    'folded',
  );
  const left: string[] = [];
  const visit = (node: BoundExpression): void => {
    if (node.kind === 'select' || node.kind === 'function') left.push(nameOf(node));
    forEachChild(node, visit);
  };
  forEachChild(folded.body, visit);
  return { ran, left };
}

function nameOf(node: BoundExpression): string {
  return node.kind === 'function' ? node.definition.name : node.kind;
}

const ID = '(SELECT m.id FROM /n m)';

describe('a folded query', () => {
  it('has the rows of a union of subqueries, which ran once as a whole', async () => {
    const text = `SELECT * FROM /n n WHERE n.id IN (${ID} UNION ${ID} EXCEPT ${ID})`;
    assert.deepEqual(await fold(text, () => [1, 2]), {
      ran: ['select', 'select', 'select', 'EXCEPT'],
      left: [],
    });
  });

  it('keeps a set operation that fails, or whose operands do', async () => {
    const text = `SELECT * FROM /n n WHERE n.id IN (${ID} UNION ${ID})`;
    const rows = (kind: string): List | undefined => (kind === 'select' ? [1] : undefined);
    assert.deepEqual(await fold(text, rows), {
      ran: ['select', 'select', 'UNION'],
      left: ['UNION'],
    });
    assert.deepEqual((await fold(text, () => undefined)).left, ['UNION', 'select', 'select']);
  });

  it('keeps the set operation that it is: its rows are delivered as they are found', async () => {
    const { ran } = await fold(`${ID} UNION ${ID}`, () => [1]);
    assert.deepEqual(ran, ['select', 'select']);
  });
});
