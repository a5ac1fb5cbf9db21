import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FRESH_MS, LiveRows } from './live-rows.ts';

function firstRows(): LiveRows {
  const rows = new LiveRows();
  const list = [
    { id: '"a"', row: '1.0' },
    { id: '["b",1]', row: '2' },
  ];
  rows.take({ kind: 'snapshot', rows: list, sequence: 1 }, 0);
  return rows;
}

describe('the rows of a live query', () => {
  it('keep their positions when they change, and are fresh for a moment', () => {
    const live = firstRows();
    assert.deepEqual(live.show(0), { rows: ['1.0', '2'], fresh: new Set() });
    const deltas = [
      { kind: 'update', id: '["b",1]', row: '2.50' },
      { kind: 'enter', id: '"c"', row: '3' },
      { kind: 'leave', id: '"a"' },
    ] as const;
    live.take({ kind: 'deltas', deltas, sequence: 2 }, 10);
    assert.deepEqual(live.show(10), { rows: ['2.50', '3'], fresh: new Set([0, 1]) });
    assert.equal(live.changes, 3);
    assert.deepEqual(live.show(10 + FRESH_MS).fresh, new Set());
  });

  it('are compared with a later snapshot', () => {
    const live = firstRows();
    const list = [
      { id: '["b",1]', row: '2' },
      { id: '"d"', row: '4' },
    ];
    live.take({ kind: 'snapshot', rows: list, sequence: 9 }, 5);
    assert.deepEqual(live.show(5), { rows: ['2', '4'], fresh: new Set([1]) });
    assert.equal(live.changes, 2);
  });

  it('are told apart by all digits of their ids', () => {
    const live = new LiveRows();
    const list = [
      { id: '[9007199254740992]', row: '1' },
      { id: '[9007199254740993]', row: '2' },
    ];
    live.take({ kind: 'snapshot', rows: list, sequence: 1 }, 0);
    assert.deepEqual(live.show(0).rows, ['1', '2']);
  });
});
