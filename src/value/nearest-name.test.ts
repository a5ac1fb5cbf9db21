import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nearestName } from './nearest-name.ts';

const NAMES = ['orders', 'customers', 'items', 'id'];

it('finds the name with a letter missing, added, changed or swapped with its neighbour', () => {
  for (const typo of ['order', 'orderss', 'ordars', 'oredrs', 'ORDERS', 'Odrers']) {
    assert.equal(nearestName(typo, NAMES), 'orders', typo);
  }
});

it('returns the nearest of several similar names', () => {
  assert.equal(nearestName('item', ['itemize', 'items', 'ibex']), 'items');
  assert.equal(nearestName('abcdef', ['abcdxy', 'abcdex']), 'abcdex');
});

it('returns nothing when no name is similar enough', () => {
  for (const other of ['regions', 'x', '', 'orders-of-last-year']) {
    assert.equal(nearestName(other, NAMES.slice(0, 3)), undefined, other);
  }
  assert.equal(nearestName('orders', []), undefined);
});

it('allows one wrong letter in a short name', () => {
  assert.equal(nearestName('ib', NAMES), 'id');
  assert.equal(nearestName('xy', NAMES), undefined);
});
