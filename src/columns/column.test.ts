import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHUNK_BITS, CHUNK_MASK, CHUNK_ROWS } from '../value/column-data.ts';
import { FALSE, INTEGER, MISSING, STRING } from '../value/row-tags.ts';
import type { ColumnChunk } from './column.ts';
import { ColumnStore } from './column-store.ts';
import { scanEntries } from './testing/scan-entries.ts';

const ROWS = 3 * CHUNK_ROWS + 100;
const keyOf = (row: number): string => String(row).padStart(6, '0');

function documentOf(row: number): string {
  return `{"n":${row},"s":"s${row % 7}","items":[{"q":${row}},{"q":1}]}`;
}

async function load(rows = ROWS) {
  const entries = new Map(
    Array.from({ length: rows }, (_, row) => [keyOf(row), documentOf(row)] as const),
  );
  const store = new ColumnStore(1e9, 0);
  const pin = store.pin('r');
  const table = await pin.prepare({
    sequence: 0,
    paths: [[['n']], [['s']], [['items'], ['q']]],
    collections: [],
    load: { entryCount: entries.size, scan: () => scanEntries(entries, 500) },
    pacer: { isSliceOver: () => false, pause: async () => undefined },
  });
  assert.ok(table !== undefined);
  return { store, pin, table };
}

describe('chunks whose rows all have one tag', () => {
  it('share their tags until the first row differs', async () => {
    const { store, pin, table } = await load();
    const numbers = table.column([['n']]);
    const first = numbers.chunks[0];
    const second = numbers.chunks[1];
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(first.tags.buffer, second.tags.buffer);
    assert.ok(numbers.sizeBytes() < numbers.chunks.length * CHUNK_ROWS * 9);

    pin.release();
    store.commit({
      sequence: 1,
      changes: [
        { kind: 'put', region: 'r', key: keyOf(5), value: '{"n":false}' },
        { kind: 'put', region: 'r', key: keyOf(6), value: '{"n":-6}' },
        { kind: 'put', region: 'r', key: keyOf(7), value: '{"s":"x"}' },
      ],
    });
    const again = store.pin('r');
    const later = await again.prepare({
      sequence: 1,
      paths: [[['n']], [['s']], [['items'], ['q']]],
      collections: [],
      pacer: { isSliceOver: () => false, pause: async () => undefined },
    });
    assert.ok(later !== undefined);
    for (let row = 0; row < ROWS; row += 1) {
      const chunk: ColumnChunk | undefined = later.column([['n']]).chunks[row >> CHUNK_BITS];
      const place = row & CHUNK_MASK;
      const expected = row === 5 ? FALSE : row === 7 ? MISSING : INTEGER;
      assert.equal(chunk?.tags[place], expected, `row ${row}`);
      if (expected === INTEGER) assert.equal(chunk?.numbers[place], row === 6 ? -6 : row);
    }
    assert.equal(first.filled, CHUNK_ROWS - 1);
    assert.equal(second.filled, CHUNK_ROWS);
    assert.equal(later.column([['s']]).chunks[0]?.tags[7], STRING);
    assert.equal(later.column([['s']]).chunks[0]?.tags[5], MISSING);
    again.release();
  });

  it('have no spare capacity after their last item, and can grow again', async () => {
    const { store, pin, table } = await load();
    const items = table.column([['items'], ['q']]).chunks[0];
    assert.equal(items?.tags.length, 2 * CHUNK_ROWS);
    assert.equal(items?.numbers.length, 2 * CHUNK_ROWS);
    // With the pin held, the row moves to the last chunk, and its old position keeps its items.
    store.commit({
      sequence: 1,
      changes: [{ kind: 'put', region: 'r', key: keyOf(1), value: '{"items":[{"q":"x"},{}]}' }],
    });
    const last = ROWS >> CHUNK_BITS;
    const lists = table.lists([['items']]).chunks[last];
    const place = ROWS & CHUNK_MASK;
    const start = lists?.starts[place] ?? 0;
    const values = table.column([['items'], ['q']]).chunks[last];
    assert.equal(lists?.counts[place], 2);
    assert.equal(values?.tags[start], STRING);
    assert.equal(values?.tags[start + 1] ?? MISSING, MISSING);
    assert.equal(items?.tags[2], INTEGER);
    pin.release();
  });
});

describe('a table of one row', () => {
  it('takes little memory, also when the row is replaced', async () => {
    const { store, pin, table } = await load(1);
    assert.ok(store.sizeBytes() < 12_000, `${store.sizeBytes()} bytes`);
    store.commit({
      sequence: 1,
      changes: [{ kind: 'put', region: 'r', key: keyOf(0), value: documentOf(1) }],
    });
    assert.equal(table.column([['n']]).chunks[0]?.numbers[1], 1);
    assert.ok(store.sizeBytes() < 16_000, `${store.sizeBytes()} bytes`);
    pin.release();
  });
});
