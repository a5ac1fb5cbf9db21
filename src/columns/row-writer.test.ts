// Rows with nested items that are overwritten without readers, compared with the documents.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { INTEGER, MISSING } from '../value/row-tags.ts';
import { shareOfRuns } from '../value/testing/share-of-runs.ts';
import { ColumnStore } from './column-store.ts';
import type { ItemChunk } from './item-lists.ts';
import type { PreparedTable } from './prepared-table.ts';
import { scanEntries } from './testing/scan-entries.ts';

interface Item {
  readonly a?: number;
  readonly b?: number;
  readonly parts?: readonly number[];
}

interface Document {
  readonly items?: readonly Item[] | Item | null;
  readonly tags?: readonly number[];
}

const FLAT = [
  [['items'], ['a']],
  [['items'], ['b']],
  [['tags'], []],
] as const;
/** With lists inside of the items. */
const NESTED = [...FLAT, [['items'], ['parts'], []]] as const;
const KEYS = ['k1', 'k2', 'k3'];
const pacer = { isSliceOver: () => false, pause: async () => undefined };

const item: fc.Arbitrary<Item> = fc.record(
  { a: fc.nat(9), b: fc.nat(9), parts: fc.array(fc.nat(9), { maxLength: 2 }) },
  { requiredKeys: ['a'] },
);
const document: fc.Arbitrary<Document> = fc.record(
  {
    items: fc.oneof(
      { weight: 8, arbitrary: fc.array(item, { maxLength: 4 }) },
      { weight: 1, arbitrary: item },
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constant([{}, { b: 1 }]) },
    ),
    tags: fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);

class Region {
  readonly #store = new ColumnStore(1e9, 0);
  readonly #documents = new Map<string, Document>();
  #sequence = 0;
  loads = 0;

  put(key: string, value: Document): void {
    this.#documents.set(key, value);
    this.#sequence += 1;
    const change = { kind: 'put', region: 'r', key, value: JSON.stringify(value) } as const;
    this.#store.commit({ sequence: this.#sequence, changes: [change] });
  }

  async check(paths: typeof FLAT | typeof NESTED): Promise<PreparedTable> {
    const texts = new Map([...this.#documents].map(([key, value]) => [key, JSON.stringify(value)]));
    const scan = () => {
      this.loads += 1;
      return scanEntries(texts);
    };
    const pin = this.#store.pin('r');
    const load = { entryCount: texts.size, scan };
    const request = { sequence: this.#sequence, paths, collections: [], load, pacer };
    const table = await pin.prepare(request);
    assert.ok(table !== undefined);
    for (const [key, value] of this.#documents) checkRow(table, key, value, paths === NESTED);
    pin.release();
    return table;
  }
}

function checkRow(table: PreparedTable, key: string, { items, tags }: Document, nested: boolean) {
  const row = table.rows.findAt(key, Number.MAX_SAFE_INTEGER) ?? -1;
  const listed = items === undefined || items === null ? [] : [items].flat();
  const columns = { a: FLAT[0], b: FLAT[1] };
  for (const [name, path] of Object.entries(columns)) {
    const expected = listed.map((each) => each[name as 'a' | 'b']);
    assert.deepEqual(read(table, path, itemsOf(table, [['items']], row)), expected);
  }
  assert.deepEqual(read(table, FLAT[2], itemsOf(table, [['tags']], row)), [...(tags ?? [])]);
  if (!nested) return;
  const parts = itemsOf(table, [['items']], row).map((at) =>
    read(table, NESTED[3], itemsOf(table, [['items'], ['parts']], at)),
  );
  assert.deepEqual(
    parts,
    listed.map((each) => [...(each.parts ?? [])]),
  );
}

function itemsOf(table: PreparedTable, path: readonly (readonly string[])[], row: number) {
  const chunk = table.lists(path).chunks[0];
  assert.ok(chunk !== undefined);
  if (chunk.dense) checkDense(chunk);
  const start = chunk.starts[row] ?? 0;
  const items = Array.from({ length: chunk.counts[row] ?? 0 }, (_, index) => start + index);
  for (const at of items) assert.equal(chunk.parents[at], row);
  return items;
}

/** All items are reachable, in the order of the rows. */
function checkDense({ counts, parents, size }: ItemChunk): void {
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    size,
  );
  assert.ok(
    parents.subarray(0, size).every((row, at) => at === 0 || (parents[at - 1] ?? 0) <= row),
  );
}

function read(
  table: PreparedTable,
  path: readonly (readonly string[])[],
  items: readonly number[],
): (number | undefined)[] {
  const { tags, numbers } = table.column(path).chunk(0);
  return items.map((at) => {
    const tag = tags[at] ?? MISSING;
    if (tag !== MISSING) assert.equal(tag, INTEGER);
    return tag === INTEGER ? numbers[at] : undefined;
  });
}

describe('rows with items that are overwritten', () => {
  it('have the items of the last document, and nothing of those before', async () => {
    const write = fc.tuple(fc.constantFrom(...KEYS), document);
    const rounds = fc.array(fc.array(write, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rounds, fc.boolean(), async (writes, nested) => {
        const region = new Region();
        const paths = nested ? NESTED : FLAT;
        for (const key of KEYS) region.put(key, { items: [{ a: 1, b: 2 }], tags: [3] });
        await region.check(paths);
        for (const round of writes) {
          for (const [key, value] of round) region.put(key, value);
          await region.check(paths);
        }
        assert.equal(region.loads, 1, 'the table was overwritten, not rebuilt');
      }),
      { numRuns: shareOfRuns(1_500) },
    );
  });

  it('leave no garbage when documents have as many items as before', async () => {
    const region = new Region();
    for (const key of KEYS) region.put(key, { items: [{ a: 1, b: 2 }, { a: 3 }], tags: [3] });
    const sizes = new Set<number>();
    for (let round = 0; round < 5; round += 1) {
      const table = await region.check(FLAT);
      const lists = table.lists([['items']]);
      sizes.add(lists.size());
      assert.equal(lists.unreachable, 0);
      assert.equal(lists.chunks[0]?.dense, true);
      for (const key of KEYS) region.put(key, { items: [{ a: round }, { b: 4 }], tags: [round] });
    }
    assert.deepEqual([...sizes], [2 * KEYS.length]);
  });
});
