// Queries that need different parts of a table while others write: each sees its commit in all of
// them, whichever parts have which changes already.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CHUNK_BITS, CHUNK_MASK } from '../value/column-data.ts';
import type { ColumnPath } from '../value/column-path.ts';
import { INTEGER, STRING } from '../value/row-tags.ts';
import { shareOfRuns } from '../value/testing/share-of-runs.ts';
import type { Column } from './column.ts';
import { ColumnStore, type TablePin } from './column-store.ts';
import type { Derivation } from './indexes/derived-column.ts';
import { joinUnits, unitOf } from './part-split.ts';
import type { PreparedTable, RequestedIndex } from './prepared-table.ts';
import { findNumber } from './testing/find-number.ts';
import { ManualIdle } from './testing/manual-idle.ts';
import { scanEntries } from './testing/scan-entries.ts';

interface Document {
  readonly a: number;
  readonly b?: number;
  readonly s: string;
  readonly items: readonly { readonly q: number; readonly t?: string }[];
  readonly rare?: number;
}

const sum: Derivation = {
  inputs: [[['a']], [['b']]],
  open: (columns) => (row) => {
    const [a, b] = columns.map((column) => valueAt(column, row >> CHUNK_BITS, row & CHUNK_MASK));
    return typeof a === 'number' && typeof b === 'number' ? a + b : undefined;
  },
};
const INDEXES = {
  a: { name: 'by-a', kind: 'hash', path: [['a']] },
  q: { name: 'by-q', kind: 'range', path: [['items'], ['q']] },
  sum: { name: 'by-sum', kind: 'range', path: [['a']], derivation: sum },
} as const satisfies Record<string, RequestedIndex>;

/** The numbers of a document in an index. */
const INDEXED: Readonly<Record<string, (document: Document) => readonly number[]>> = {
  'by-a': ({ a }) => [a],
  'by-q': ({ items }) => items.map(({ q }) => q),
  'by-sum': ({ a, b }) => (b === undefined ? [] : [a + b]),
};

interface Requested {
  readonly paths: readonly ColumnPath[];
  readonly indexes?: readonly RequestedIndex[];
}

const ITEMS: readonly ColumnPath[] = [
  [['items'], ['q']],
  [['items'], ['t']],
];
const NONE: Requested = { paths: [] };
const ALL: Requested = {
  paths: [[['a']], [['b']], [['s']], ...ITEMS],
  indexes: Object.values(INDEXES),
};
const QUERIES: readonly Requested[] = [
  NONE,
  ALL,
  { paths: [[['a']]] },
  { paths: [[['b']], [['s']]] },
  { paths: [[['s']]] },
  { paths: [[['a']]], indexes: [INDEXES.a] },
  { paths: [[['a']], [['b']]], indexes: [INDEXES.sum] },
  { paths: ITEMS },
  { paths: ITEMS, indexes: [INDEXES.q] },
  { paths: [[['rare']]] },
];

/** A number or a string; undefined for anything else. */
function valueAt(column: Column, chunk: number, local: number): number | string | undefined {
  const values = column.chunks[chunk];
  const tag = values?.tags[local];
  if (tag === INTEGER) return values?.numbers[local];
  return tag === STRING ? column.strings.text(values?.ids[local] ?? 0) : undefined;
}

interface Reader {
  readonly check: () => void;
  readonly release: () => void;
}

class Region {
  readonly idle = new ManualIdle();
  readonly store = new ColumnStore(1e9, 0, { idle: this.idle, manyPending: 200 });
  loads = 0;
  readonly #keys: number;
  readonly #documents = new Map<string, Document>();
  #sequence = 0;
  #next: number;

  /** Nine tenths of the keys have an entry. */
  constructor(seed: number, keys = 1000) {
    this.#next = seed;
    this.#keys = keys;
    for (let key = 0; key < keys * 0.9; key += 1) this.#documents.set(`k${key}`, this.#document());
  }

  random(limit: number): number {
    this.#next = (Math.imul(this.#next, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#next / 2 ** 32) * limit);
  }

  #document(): Document {
    return {
      a: this.random(20),
      ...(this.random(4) > 0 && { b: this.random(20) }),
      s: `s${this.random(1000)}`,
      items: Array.from({ length: this.random(4) }, () => ({
        q: this.random(20),
        ...(this.random(4) > 0 && { t: `t${this.random(9)}` }),
      })),
      ...(this.random(500) === 0 && { rare: this.random(9) }),
    };
  }

  write(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      const key = `k${this.random(this.#keys)}`;
      this.#sequence += 1;
      if (this.random(9) === 0) {
        this.#documents.delete(key);
        const change = { kind: 'remove', region: 'r', key } as const;
        this.store.commit({ sequence: this.#sequence, changes: [change] });
        continue;
      }
      const document = this.#document();
      this.#documents.set(key, document);
      const change = { kind: 'put', region: 'r', key, value: JSON.stringify(document) } as const;
      this.store.commit({ sequence: this.#sequence, changes: [change] });
    }
  }

  async query(
    { paths, indexes = [] }: Requested,
    atPause: () => void = () => undefined,
  ): Promise<Reader> {
    const pin: TablePin = this.store.pin('r');
    const sequence = this.#sequence;
    const documents = new Map(this.#documents);
    const scan = () => {
      this.loads += 1;
      return scanEntries(new Map([...documents].map(([key, d]) => [key, JSON.stringify(d)])), 100);
    };
    const table = await pin.prepare({
      sequence,
      paths,
      collections: paths.some((path) => path.length > 1) ? [[['items']]] : [],
      indexes,
      load: { entryCount: documents.size, scan },
      pacer: { isSliceOver: () => true, pause: async () => atPause() },
    });
    assert.ok(table !== undefined);
    // As text, because that is compared faster.
    const expected = new Map<string, string>();
    for (const [key, document] of documents) {
      expected.set(key, JSON.stringify(paths.map((path) => expectedAt(document, path))));
    }
    const check = (): void => {
      checkColumns(table, sequence, expected, paths);
      for (const { name } of indexes) checkIndex(table, sequence, documents, name);
    };
    check();
    return { check, release: () => pin.release() };
  }

  /** Without readers of older commits, indexes have the current entries and no others. */
  checkCounts(): void {
    const documents = [...this.#documents.values()];
    const all = { low: undefined, high: undefined };
    this.store.findKeys('r', 'by-a', (index) => {
      assert.equal(index.countNumbers(all), documents.length);
      return [];
    });
    this.store.findKeys('r', 'by-sum', (index) => {
      const missing = documents.filter(({ b }) => b === undefined).length;
      assert.equal(index.countUnkeyed('missing'), missing);
      assert.equal(index.countNumbers(all), documents.length - missing);
      return [];
    });
  }

  /** An index may have no answer, but an answer must be right. */
  checkLookUps(): void {
    const expected = Map.groupBy(this.#documents, ([, { a }]) => a);
    for (let a = 0; a < 20; a += 1) {
      const found = findNumber(this.store, 'by-a', a);
      if (found === undefined) continue;
      const keys = (expected.get(a) ?? []).map(([key]) => key);
      assert.deepEqual([...found.keys], keys.sort());
    }
  }
}

function checkColumns(
  table: PreparedTable,
  sequence: number,
  expected: ReadonlyMap<string, string>,
  paths: readonly ColumnPath[],
): void {
  const read = { ...table, columns: paths.map((path) => table.column(path)) };
  for (const [key, text] of expected) {
    const row = table.rows.findAt(key, sequence);
    assert.ok(row !== undefined, key);
    const found = JSON.stringify(paths.map((path, at) => readPath(read, row, path, at)));
    if (found !== text) assert.equal(found, text, key);
  }
  let visible = 0;
  for (let row = 0; row < table.rows.size; row += 1) {
    if (table.rows.isVisible(row, sequence)) visible += 1;
  }
  assert.equal(visible, expected.size);
}

function readPath(
  { columns, lists }: PreparedTable & { readonly columns: readonly Column[] },
  row: number,
  path: ColumnPath,
  at: number,
): unknown {
  const column = columns[at];
  assert.ok(column !== undefined);
  const [chunk, local] = [row >> CHUNK_BITS, row & CHUNK_MASK];
  if (path.length === 1) return valueAt(column, chunk, local);
  const items = lists([['items']]).chunks[chunk];
  const start = items?.starts[local] ?? 0;
  return Array.from({ length: items?.counts[local] ?? 0 }, (_, item) =>
    valueAt(column, chunk, start + item),
  );
}

function expectedAt(document: Document, [members = [], ofItem]: ColumnPath): unknown {
  const value: unknown = Reflect.get(document, members[0] ?? '');
  if (ofItem === undefined) return value;
  return document.items.map((item) => (ofItem[0] === 'q' ? item.q : item.t));
}

function checkIndex(
  table: PreparedTable,
  sequence: number,
  documents: ReadonlyMap<string, Document>,
  name: string,
): void {
  // It is not built by a query that loads columns while others write.
  const index = table.index(name);
  if (index === undefined) return;
  const expected = Array.from({ length: 40 }, () => new Set<string>());
  for (const [key, document] of documents) {
    for (const number of INDEXED[name]?.(document) ?? []) expected[number]?.add(key);
  }
  for (const [number, keys] of expected.entries()) {
    const bound = { key: number, inclusive: true };
    const found = new Set<string>();
    index.forEachNumber({ low: bound, high: bound }, (row) => {
      if (table.rows.isVisible(row, sequence)) found.add(table.rows.keyOf(row));
    });
    if (found.size !== keys.size || [...found].some((key) => !keys.has(key))) {
      assert.deepEqual(found, keys, `${name} ${number}`);
    }
  }
}

describe('queries that need different parts', () => {
  it('see their commit, whichever parts have which changes', async () => {
    const rounds = fc.array(
      fc.record({
        before: fc.constantFrom(0, 10, 300, 600),
        wakes: fc.constantFrom(0, 0, 3, 30),
        requested: fc.constantFrom(...QUERIES),
        atPause: fc.constantFrom(0, 0, 1, 20),
        after: fc.constantFrom(0, 5, 400),
        keepsPin: fc.boolean(),
      }),
      { minLength: 2, maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(), rounds, async (seed, all) => {
        const region = new Region(seed);
        (await region.query(ALL)).release();
        let kept: Reader[] = [];
        for (const { before, wakes, requested, atPause, after, keepsPin } of all) {
          region.write(before);
          region.idle.busy += wakes;
          for (let left = wakes; left > 0; left -= 1) await region.idle.wake();
          const reader = await region.query(requested, () => region.write(atPause));
          region.write(after);
          reader.check();
          region.checkLookUps();
          kept.push(reader);
          for (const each of kept) each.check();
          if (keepsPin && kept.length < 3) continue;
          for (const each of kept) each.release();
          kept = [];
        }
        for (const each of kept) each.release();
        (await region.query(ALL)).release();
      }),
      { numRuns: shareOfRuns(60) },
    );
  });

  it('apply pending changes only to those, and the rest is applied in idle time', async () => {
    const region = new Region(3);
    (await region.query(ALL)).release();
    await region.idle.pass();
    const countPauses = async (requested: Requested): Promise<number> => {
      let pauses = 0;
      const reader = await region.query(requested, () => {
        pauses += 1;
      });
      reader.release();
      return pauses;
    };
    region.write(2500);
    const first = await countPauses({ paths: [[['s']]] });
    assert.ok(first > 40, `${first} pauses`);
    assert.ok((await countPauses({ paths: [[['s']]] })) < 5, 'they are applied to this column');
    assert.ok((await countPauses({ paths: [[['a']]] })) > 20, 'but not to others');
    assert.ok((await countPauses({ paths: ALL.paths })) < 5);
    region.write(2500);
    (await region.query(NONE)).release();
    assert.equal(findNumber(region.store, 'by-a', 1), undefined, 'the index lacks changes');
    await region.idle.pass();
    assert.ok(findNumber(region.store, 'by-a', 1) !== undefined);
    assert.ok((await countPauses(ALL)) < 10);
    assert.equal(region.loads, 1);
  });

  it('leave exactly the current entries in indexes', async () => {
    const region = new Region(4);
    (await region.query(ALL)).release();
    for (let left = shareOfRuns(20); left > 0; left -= 1) {
      // All other parts lack both sets of changes, and the second set removes keys of the first.
      region.write(400);
      (await region.query({ paths: [[['s']]] })).release();
      region.write(400);
      (await region.query({ paths: [[['s']]] })).release();
      (await region.query(ALL)).release();
      region.checkCounts();
    }
    assert.equal(region.loads, 1);
  });

  it('see their commit in tables of several chunks while rows are added', async () => {
    const region = new Region(5, 73_000);
    (await region.query(ALL)).release();
    region.write(3000);
    (await region.query(NONE)).release();
    const reader = await region.query({ paths: ALL.paths }, () => region.write(2));
    reader.release();
    (await region.query(ALL)).release();
    assert.equal(region.loads, 1);
  });

  it('get the columns of an index together', () => {
    const [a, b] = [[['a']], [['b']]];
    const [cd, items] = [[['c', 'd']], [['items'], ['q']]];
    const indexed = [[b, cd], [a, b], [items]];
    const units = (...paths: ColumnPath[]) => new Set(paths.map(unitOf));
    assert.deepEqual(joinUnits([unitOf(a)], indexed), units(a, b, cd));
    assert.deepEqual(joinUnits([unitOf(cd)], indexed), units(cd, b, a));
    assert.deepEqual(joinUnits([unitOf([['items']])], indexed), units(items));
  });
});
