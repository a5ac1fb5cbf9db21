import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Bounds } from '../../value/column-data.ts';
import type { IndexKind } from '../../value/region-words.ts';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { ColumnStore } from '../column-store.ts';
import { scanEntries } from '../testing/scan-entries.ts';
import { SortedBlocks } from './sorted-blocks.ts';

// The oracle examines every row of a map.

const value = fc.constantFrom(
  '1',
  '2',
  '2.0',
  '2.5',
  '-3',
  '"a"',
  '"ab"',
  '"b"',
  '"\\uff01"',
  '"\\ud83d\\ude00"',
  'null',
  'true',
  '{}',
  '1e400',
);
const member = fc.option(value);
const document = fc
  .tuple(member, fc.array(value, { maxLength: 3 }))
  .map(([one, items]) =>
    one === null ? `{"items":[${items}]}` : `{"x":${one},"items":[${items}]}`,
  );
const change = fc.record({
  key: fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5', 'k6'),
  value: fc.option(document),
});
const numberBound = fc.option(
  fc.record({ key: fc.constantFrom(-3, 1, 2, 2.25, 9), inclusive: fc.boolean() }),
  { nil: undefined },
);
const stringBound = fc.option(
  fc.record({ key: fc.constantFrom('', 'a', 'aa', 'ab', '\uff01'), inclusive: fc.boolean() }),
  { nil: undefined },
);

function isWithin<Key>(key: Key, { low, high }: Bounds<Key>): boolean {
  const above = low === undefined || key > low.key || (low.inclusive && key === low.key);
  const below = high === undefined || key < high.key || (high.inclusive && key === high.key);
  return above && below;
}

describe('an index', () => {
  it('finds the same rows as a full scan, after all changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 12 }),
        fc.array(fc.tuple(change, fc.boolean()), { maxLength: 12 }),
        fc.record({ low: numberBound, high: numberBound }),
        fc.record({ low: stringBound, high: stringBound }),
        fc.constantFrom<IndexKind>('range', 'hash'),
        fc.constantFrom<'up' | 'down'>('up', 'down'),
        fc.boolean(),
        async (initial, later, numbers, strings, kind, direction, nested) => {
          const entries = new Map<string, string>();
          for (const each of initial) if (each.value !== null) entries.set(each.key, each.value);
          const store = new ColumnStore(1e9, 1);
          const path = nested ? [['items'], []] : [['x']];
          let sequence = 1;
          const prepare = async () => {
            const pin = store.pin('r');
            const table = await pin.prepare({
              sequence,
              paths: [path],
              collections: [],
              indexes: [{ name: 'i', kind, path }],
              load: { entryCount: entries.size, scan: () => scanEntries(entries) },
              pacer: { isSliceOver: () => true, pause: async () => undefined },
            });
            return { pin, table };
          };
          const first = await prepare();
          for (const [{ key, value: text }, releases] of later) {
            if (releases) first.pin.release();
            sequence += 1;
            store.commit({
              sequence,
              changes: [
                text === null
                  ? { kind: 'remove', region: 'r', key }
                  : { kind: 'put', region: 'r', key, value: text },
              ],
            });
            if (text === null) entries.delete(key);
            else entries.set(key, text);
          }
          const { table } = await prepare();
          const index = table?.index('i');
          assert.ok(table !== undefined && index !== undefined);
          const found = (visitAll: (visit: (row: number) => void) => void): string[] => {
            const keys = new Set<string>();
            visitAll((row) => {
              if (table.rows.isAlive(row, sequence)) keys.add(table.rows.keyOf(row));
            });
            return [...keys].sort();
          };
          const expected = (holds: (each: unknown) => boolean): string[] =>
            [...entries]
              .filter(([, text]) => {
                const parsed = JSON.parse(text) as { x?: unknown; items: unknown[] };
                return (nested ? parsed.items : [parsed.x]).some(holds);
              })
              .map(([key]) => key)
              .sort();
          // A hash index returns all rows for a range, and exact rows for single keys.
          const isExact =
            kind === 'range' ||
            (numbers.low?.inclusive === true &&
              numbers.high?.inclusive === true &&
              numbers.low.key === numbers.high.key);
          const bounds = isExact ? numbers : {};
          assert.deepEqual(
            found((visit) => index.forEachNumber(bounds, visit)),
            expected(
              (each) => typeof each === 'number' && Number.isFinite(each) && isWithin(each, bounds),
            ),
          );
          const texts = kind === 'range' ? strings : {};
          assert.deepEqual(
            found((visit) => index.forEachString(texts, visit)),
            expected((each) => typeof each === 'string' && isWithin(each, texts)),
          );
          assert.deepEqual(
            found((visit) => index.forEachUnkeyed('null', visit)),
            expected((each) => each === null),
          );
          assert.deepEqual(
            found((visit) => index.forEachUnkeyed('missing', visit)),
            expected((each) => each === undefined),
          );
          if (kind !== 'range') return;
          const walked = [...index.walkStrings(strings, { direction })];
          const every: number[] = [];
          index.forEachString(strings, (row) => every.push(row));
          assert.deepEqual(
            walked.flatMap((rows) => [...rows]).sort((a, b) => a - b),
            every.sort((a, b) => a - b),
          );
          const sign = direction === 'up' ? 1 : -1;
          const ordered = [...index.walkNumbers(numbers, { direction })].map((rows) =>
            table.column(path).chunks[0]?.numbers.at(rows[0] ?? 0),
          );
          if (!nested) {
            assert.deepEqual(
              ordered,
              [...new Set(ordered)].sort((a, b) => sign * (Number(a) - Number(b))),
            );
          }
        },
      ),
      { numRuns: shareOfRuns(1_500) },
    );
  });

  it('is iterated key by key while entries are added, with only the first rows if requested', () => {
    const blocks = new SortedBlocks((a, b) => a - b);
    for (let row = 0; row < 3000; row += 1) blocks.insert(row % 3, row);
    const all = { from: () => 1, to: () => -1 };
    const sizes: number[] = [];
    for (const rows of blocks.walk(all.from, all.to, { direction: 'up' })) {
      sizes.push(rows.length);
      blocks.insert(0, 5000 + sizes.length);
      blocks.insert(2, 6000 + sizes.length);
    }
    assert.deepEqual(sizes, [1000, 1000, 1002]);
    const firstRows = { split: 2990, isVisible: (row: number) => row >= 5 };
    const found = [...blocks.walk(all.from, all.to, { direction: 'up', firstRows })];
    assert.deepEqual(
      found.map(([first, second]) => [first, second]),
      [
        [6, 2991],
        [7, 2992],
        [5, 2990],
      ],
    );
    const down = [...blocks.walk(all.from, all.to, { direction: 'down' })].map(([row]) => row);
    assert.deepEqual(down, [2, 1, 0]);
  });

  it('on keys stores only the rows whose value differs from their key', async () => {
    const store = new ColumnStore(1e9, 1);
    const pin = store.pin('r');
    const path = [['x']];
    const entries = new Map([
      ['1', '{"x":1}'],
      ['2', '{"x":2.0}'],
      ['c', '{"x":"c"}'],
      ['d', '{"x":7}'],
    ]);
    const table = await pin.prepare({
      sequence: 1,
      paths: [path],
      collections: [],
      indexes: [{ name: 'i', kind: 'key', path }],
      load: { entryCount: entries.size, scan: () => scanEntries(entries) },
      pacer: { isSliceOver: () => false, pause: async () => undefined },
    });
    const index = table?.index('i');
    assert.ok(index !== undefined);
    const rows: number[] = [];
    const one = { key: 1, inclusive: true };
    index.forEachNumber({ low: one, high: one }, (row) => rows.push(row));
    assert.deepEqual(rows, [3]);
    assert.equal(index.countNumbers({ low: one, high: one }), 2);
    assert.ok(index.sizeBytes() < 1000, `${index.sizeBytes()} bytes`);
    assert.throws(() => index.walkNumbers({}, { direction: 'up' }), /range/);
    pin.release();
  });
});
